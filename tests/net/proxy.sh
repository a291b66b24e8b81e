#!/bin/sh
# SPDX-License-Identifier: MIT
# nginx in front of a server, with the configuration of docs/examples: TLS, keys, uploads in parts, refusals.
. "$(dirname "$0")/net.sh"
PATH=$PATH:/usr/sbin:/sbin
for tool in nginx openssl; do
	command -v $tool >/dev/null || {
		echo "skipped: no $tool"
		exit 77
	}
done
example=$(cd "$(dirname "$0")/../../docs/examples" && pwd)/cairn-symbols.nginx

"$MAKE_SYMBFILE" 300 >"$work/a"
printf 'example-id:example-key\n' >"$work/key"
printf 'read-id:read-key\n' >"$work/read"
chmod 600 "$work/key" "$work/read"
serve --api-key-file "$work/key" --read-key-file "$work/read" --client-connections 256
plain=$address
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout "$work/tls.key" -out "$work/tls.pem" >"$work/openssl" 2>&1 || {
	echo "skipped: this openssl makes no certificate: $(tail -n 1 "$work/openssl")"
	exit 77
}

# proxy PORT: nginx with the example's server, which listens there; false if somebody else does
proxy() {
	{
		echo "daemon off; worker_processes 1; pid $work/nginx.pid; error_log stderr;"
		[ "$(id -u)" != 0 ] || echo 'user root;' # the folder of this test is for its user
		echo 'events { worker_connections 256; }'
		echo "http { access_log off; client_body_temp_path $work/t1; proxy_temp_path $work/t2;"
		echo "fastcgi_temp_path $work/t3; uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;"
		sed -e "s/listen 443 ssl/listen 127.0.0.1:$1 ssl/" -e '/listen \[::\]/d' -e 's/symbols\.example\.com;/localhost;/' \
			-e "s|ssl_certificate /.*;|ssl_certificate $work/tls.pem;|" \
			-e "s|ssl_certificate_key /.*;|ssl_certificate_key $work/tls.key;|" -e "s/127\.0\.0\.1:8240/$plain/" "$example"
		echo '}'
	} >"$work/nginx.conf"
	: >"$work/nginx.log"
	nginx -p "$work/" -e stderr -c "$work/nginx.conf" >>"$work/nginx.log" 2>&1 &
	nginx=$!
	while kill -0 $nginx 2>/dev/null; do
		[ ! -s "$work/nginx.pid" ] || return 0
		sleep 0.05
	done
	return 1
}
port=$((20000 + $$ % 20000))
until proxy $port; do
	grep -q 'Address already in use' "$work/nginx.log" || {
		fail "nginx ends: $(cat "$work/nginx.log")"
		exit 1
	}
	port=$((port + 1))
done
servers="$servers $nginx"
url=https://localhost:$port
unset no_proxy
no_proxy=localhost,127.0.0.1
export no_proxy

# not without the certificate
expect 3 "$CAIRN" symbfile fetch --url "$url" --retries 0 --output "$work/fetched" --api-key-file "$work/read" $id
grep -qi 'certificate' "$work/err" || fail "a certificate that nobody knows is accepted: $(cat "$work/err")"
SSL_CERT_FILE=$work/tls.pem
export SSL_CERT_FILE
expect 3 "$CAIRN" symbfile push --url "$url" --retries 0 --file-id $id "$work/a"
says "$work/err" "the server answers 401, code 1003"
expect 0 "$CAIRN" symbfile push --url "$url" --retries 0 --api-key-file "$work/key" --file-id $id --part-size 4000 "$work/a"
[ ! -s "$work/err" ] || fail "a word too many: $(cat "$work/err")"
expect 3 "$CAIRN" symbfile fetch --url "$url" --retries 0 --output "$work/fetched" $id
expect 0 "$CAIRN" symbfile fetch --url "$url" --retries 0 --output "$work/fetched" --api-key-file "$work/read" $id
"$CAIRN" symbfile dump --lines "$work/a" >"$work/want"
"$CAIRN" symbfile dump --lines "$work/fetched" >"$work/have"
cmp -s "$work/want" "$work/have" || fail "what is fetched differs from what was sent"
expect 1 "$CAIRN" symbfile fetch --url "$url" --retries 0 --output "$work/fetched" --api-key-file "$work/read" -- AAAAAAAAAAAAAAAAAAAAAA

# a path reaches the server as it was sent: nothing that the proxy made of it
ask() {
	printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: APIKey cmVhZC1pZDpyZWFkLWtleQ==\r\n\r\n' "$1" |
		openssl s_client -quiet -no_ign_eof -ign_eof -connect "127.0.0.1:$port" -servername localhost -CAfile "$work/tls.pem" \
			-verify_return_error 2>/dev/null >"$work/answer"
	status_of <"$work/answer"
}
[ "$(ask "/NH/b9/$id/ranges")" = 200 ] || fail "GET through TLS: $(head -n 5 "$work/answer")"
for path in "/NH/b9/$id/ranges%00.txt" "/NH/b9/$id/../../../lock" /../../etc/passwd; do
	case $(ask "$path") in
	404 | 400) ;;
	*) fail "GET $path: $(cat "$work/answer")" ;;
	esac
done
# more than a part may have
request /api/symbols-ranges $id 0 1 'APIKey ZXhhbXBsZS1pZDpleGFtcGxlLWtleQ==' "$work/a" |
	sed "s/^Content-Length: .*/Content-Length: 83886080\r/" >"$work/request"
openssl s_client -quiet -ign_eof -connect "127.0.0.1:$port" -servername localhost <"$work/request" 2>/dev/null >"$work/answer"
[ "$(status_of <"$work/answer")" = 413 ] || fail "80 MB are not refused: $(cat "$work/answer")"
end TERM "$nginx" || fail "nginx exits with $?"
exit $failed
