<?php
/**
 * What of WordPress its Akismet plugin needs, for one act: php wordpress.php <plugin's folder> <our mu-plugin>
 * with {"url", "key", "act", "given", "state"} as JSON on standard input. Prints the site as it is afterwards.
 */

error_reporting( E_ALL & ~E_DEPRECATED );
$given  = json_decode( stream_get_contents( STDIN ), true );
$state  = $given['state'] + array( 'options' => array( 'home' => 'https://blog.example', 'blog_charset' => 'UTF-8' ), 'comments' => array(), 'meta' => array(), 'mails' => 0, 'next' => 0 );
$hooks  = array();
$current_user = (object) array( 'user_login' => 'editor' );
$wp_version = '6.1.9';
define( 'AKISMET_VERSION', '5.0.2' );
define( 'AKISMET__PLUGIN_DIR', $argv[1] . '/' );
define( 'SPAMDESK_URL', $given['url'] );
$_SERVER += array( 'REMOTE_ADDR' => '203.0.113.9', 'HTTP_USER_AGENT' => 'Mozilla/5.0', 'HTTP_REFERER' => 'https://blog.example/' );

class WP_Error {
	public $message;
	public function __construct( $code, $message = '' ) { $this->message = $message; }
}
class Database {
	public $comments = 'comments', $commentmeta = 'commentmeta';
	public function prepare( $query, $id ) { return $id; }
	public function get_row( $id, $as = null ) {
		global $state;
		$row = $state['comments'][ $id ];
		return null === $as ? (object) $row : $row;
	}
	public function get_col( $query ) {
		global $state;
		return array_keys( array_filter( $state['meta'], function ( $meta ) { return isset( $meta['akismet_error'] ); } ) );
	}
	public function get_var( $query ) { return count( $this->get_col( '' ) ); }
}
$wpdb = new Database();
define( 'ARRAY_A', 'ARRAY_A' );

function add_filter( $name, $call, $priority = 10, $count = 1 ) { global $hooks; $hooks[ $name ][] = array( $call, $count ); }
function add_action( $name, $call, $priority = 10, $count = 1 ) { add_filter( $name, $call, $priority, $count ); }
function apply_filters( $name, $value, ...$more ) {
	global $hooks;
	foreach ( $hooks[ $name ] ?? array() as list( $call, $count ) ) {
		$value = $call( ...array_slice( array( $value, ...$more ), 0, $count ) );
	}
	return $value;
}
function do_action( ...$more ) {}
function get_option( $name ) { global $state; return $state['options'][ $name ] ?? false; }
function update_option( $name, $value ) { global $state; $state['options'][ $name ] = $value; }
function delete_option( $name ) { global $state; unset( $state['options'][ $name ] ); }
function get_locale() { return 'de_DE'; }
function get_permalink( $post ) { return "https://blog.example/?p=$post"; }
function get_post( $post ) { return (object) array( 'post_modified_gmt' => '2026-11-01 00:00:00' ); }
function wp_next_scheduled( $name ) { global $state; return $state['next']; }
function wp_schedule_single_event( $at, $name ) { global $state; $state['next'] = $at; }
function wp_schedule_event( ...$more ) {}
function current_user_can( $right ) { return false; }
function load_plugin_textdomain( $name ) {}
function is_multisite() { return false; }
function add_query_arg( $name, $value, $to ) { return "$to&$name=$value"; }
function set_url_scheme( $url, $scheme ) { return preg_replace( '/^https?/', $scheme, $url ); }
function wp_http_supports( $what ) { return true; }
function is_wp_error( $thing ) { return $thing instanceof WP_Error; }
function _http_build_query( $fields, $prefix, $sign ) { return http_build_query( $fields, '', $sign ); }
function wp_remote_post( $url, $request ) {
	$answer = apply_filters( 'pre_http_request', false, $request, $url );
	return false === $answer ? new WP_Error( 'net', 'Nothing may be asked but Spamdesk.' ) : $answer;
}
function wp_remote_request( $url, $request ) {
	$headers = '';
	foreach ( $request['headers'] as $name => $value ) {
		$headers .= "$name: $value\r\n";
	}
	$http = array( 'method' => 'POST', 'header' => $headers, 'content' => $request['body'], 'ignore_errors' => true, 'follow_location' => 0 );
	$body = file_get_contents( $url, false, stream_context_create( array( 'http' => $http ) ) );
	$told = array();
	foreach ( $http_response_header as $line ) {
		list( $name, $value ) = explode( ': ', $line, 2 ) + array( '', '' );
		$told[ strtolower( $name ) ] = $value;
	}
	return array( 'headers' => $told, 'body' => $body );
}
function get_comment( $id ) { global $state; return (object) $state['comments'][ $id ]; }
function get_comment_meta( $id, $name ) { global $state; return $state['meta'][ $id ][ $name ] ?? ''; }
function update_comment_meta( $id, $name, $value ) { global $state; $state['meta'][ $id ][ $name ] = is_array( $value ) ? array_map( 'stripslashes', $value ) : $value; }
function add_comment_meta( $id, $name, $value ) { if ( 'akismet_history' !== $name ) { update_comment_meta( $id, $name, $value ); } }
function delete_comment_meta( $id, $name ) { global $state; unset( $state['meta'][ $id ][ $name ] ); }
function wp_get_comment_status( $id ) { return '0' === get_comment( $id )->comment_approved ? 'unapproved' : 'other'; }
function wp_set_comment_status( $id, $status ) { global $state; $state['comments'][ $id ]['comment_approved'] = (string) $status; }
function wp_spam_comment( $id ) { wp_set_comment_status( $id, 'spam' ); }
function wp_filter_comment( $comment ) { return $comment; }
function check_comment( ...$more ) { return true; }
function wp_notify_moderator( $id ) { global $state; ++$state['mails']; }

require $argv[2];
if ( '' !== $given['key'] ) {
	update_option( 'wordpress_api_key', $given['key'] );
}
require AKISMET__PLUGIN_DIR . 'class.akismet.php';
require AKISMET__PLUGIN_DIR . 'class.akismet-admin.php';

switch ( $given['act'] ) {
	case 'save_key': // what the form of the settings page does
		Akismet_Admin::save_key( preg_replace( '/[^a-f0-9]/i', '', $given['given']['key'] ) );
		break;
	case 'comment': // as wp_new_comment(): slashed while it is checked, cleaned when it is stored
		$typed = $given['given'] + array( 'comment_author_url' => '', 'comment_author_email' => 'ann@mail.example', 'comment_post_ID' => 7, 'comment_type' => 'comment', 'comment_parent' => 0, 'user_ID' => 0 );
		foreach ( $typed as $name => $value ) {
			$_POST[ strpos( $name, 'ak_' ) === 0 ? $name : "form_$name" ] = (string) $value;
		}
		Akismet::auto_check_comment( array_map( function ( $value ) { return is_string( $value ) ? addslashes( $value ) : $value; }, $typed ) );
		$id   = 1 + count( $state['comments'] );
		$kept = array( 'comment_ID' => $id, 'comment_approved' => (string) Akismet::last_comment_status( '1', $typed ), 'comment_author_IP' => '203.0.113.9', 'comment_agent' => 'Mozilla/5.0', 'comment_date_gmt' => gmdate( 'Y-m-d H:i:s' ) ) + $typed;
		$kept['comment_content'] = str_replace( array( '<a href="https://', '& ' ), array( '<a rel="nofollow ugc" href="https://', '&amp; ' ), trim( $kept['comment_content'] ) );
		$state['comments'][ $id ] = $kept;
		Akismet::auto_check_update_meta( $id, (object) $kept );
		break;
	case 'cron':
		Akismet::cron_recheck();
		break;
	case 'spam':
		wp_spam_comment( $given['given']['id'] );
		Akismet::submit_spam_comment( $given['given']['id'] );
		break;
	case 'ham':
		wp_set_comment_status( $given['given']['id'], '1' );
		Akismet::submit_nonspam_comment( $given['given']['id'] );
		break;
}
$notices = new ReflectionProperty( 'Akismet_Admin', 'notices' );
$notices->setAccessible( true );
$state['notices'] = (object) $notices->getValue();
$state['meta'] = (object) $state['meta'];
$state['comments'] = (object) $state['comments'];
echo json_encode( $state );
