/* Names the browser's time zone in a cookie, so that the server writes times as clocks here show them. */

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.split("; ").includes(`time_zone=${zone}`)) {
  document.cookie = `time_zone=${zone}; path=/; max-age=${365 * 24 * 3600}; samesite=lax`;
}
