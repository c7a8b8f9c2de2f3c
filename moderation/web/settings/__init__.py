"""Settings in the browser: `settings_form` is what both pages share, `desk_settings` with `queue_settings`,
`platform_settings`.
"""
