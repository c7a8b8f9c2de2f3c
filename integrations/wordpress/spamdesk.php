<?php
/**
 * Plugin Name: Spamdesk
 * Description: Sends what the Akismet plugin asks to your own Spamdesk, and nothing to Akismet.
 *
 * Copy this file to wp-content/mu-plugins/, keep the Akismet plugin active, and write into wp-config.php:
 *
 *   define( 'SPAMDESK_URL', 'https://spamdesk.example.org' );
 *   define( 'WPCOM_API_KEY', '0123456789ab' ); // the alias that Spamdesk made for this site
 *
 * Without WPCOM_API_KEY, type the alias on the Akismet plugin's own settings page.
 */

if ( ! function_exists( 'add_filter' ) ) {
	exit;
}

add_filter( 'pre_http_request', 'spamdesk_answer', 10, 3 );

/**
 * Answer a request to Akismet from Spamdesk; every other request goes its way.
 *
 * @param mixed  $answer  The answer of another filter, or false.
 * @param array  $request The request, as wp_remote_request() takes it.
 * @param string $url     Where it was to go.
 * @return mixed An answer, a WP_Error, or what was given for other hosts.
 */
function spamdesk_answer( $answer, $request, $url ) {
	if ( ! preg_match( '~^https?://([^./]+\.)?rest\.akismet\.com(?::\d+)?(/.*)$~i', $url, $parts ) ) {
		return $answer;
	}
	if ( ! defined( 'SPAMDESK_URL' ) ) {
		return new WP_Error( 'spamdesk', 'SPAMDESK_URL is not defined in wp-config.php.' );
	}
	// The plugin sets this header by hand; the address below has another host.
	unset( $request['headers']['Host'] );
	$path = $parts[2];
	if ( '' !== $parts[1] ) {
		// Plugins before version 5 put the key into the host name.
		$path .= ( false === strpos( $path, '?' ) ? '?' : '&' ) . 'api_key=' . rawurlencode( rtrim( $parts[1], '.' ) );
	}
	$request['redirection'] = 0;
	return wp_remote_request( rtrim( SPAMDESK_URL, '/' ) . $path, $request );
}
