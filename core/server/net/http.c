/* SPDX-License-Identifier: MIT */
/* Sends HTTP requests through libcurl and retries failed attempts with increasing delays. */
#include "http.h"

#include "os/channel.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct http {
	struct http_options options;
	CURL *curl;
	CURLSH *share;     /* owns the connections, because `curl` is replaced for each attempt */
	bool used;         /* `curl` has performed a request */
	size_t url_length; /* length of the URL without trailing slashes */
	bool bare;
	char error[CURL_ERROR_SIZE];
	struct http_request *request;
	uint64_t end; /* time on the channel_clock() at which the request times out */
};

enum { URL_MAX = 4096, HEADER_MAX = 2048 };

static bool is_local(const char *host)
{
	return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
	       strcmp(host, "[::1]") == 0;
}

/* Return a component of the URL, or NULL if it is absent. The caller frees it with curl_free(). */
static char *get_url_part(CURLU *url, CURLUPart what)
{
	char *part = NULL;

	return curl_url_get(url, what, &part, 0) == CURLUE_OK ? part : NULL;
}

static const char *find_url_problem(CURLU *url, bool *bare)
{
	char *scheme = get_url_part(url, CURLUPART_SCHEME),
	     *host = get_url_part(url, CURLUPART_HOST);
	char *user = get_url_part(url, CURLUPART_USER), *query = get_url_part(url, CURLUPART_QUERY);
	char *fragment = get_url_part(url, CURLUPART_FRAGMENT);
	bool plain = scheme && strcmp(scheme, "http") == 0;
	const char *problem = NULL;

	if (!plain && !(scheme && strcmp(scheme, "https") == 0))
		problem = "the URL must begin with http:// or https://";
	else if (user)
		problem = "the URL must not contain a user or a password";
	else if (query || fragment)
		problem = "the URL must end with a path";
	*bare = plain && host && !is_local(host);
	curl_free(scheme);
	curl_free(host);
	curl_free(user);
	curl_free(query);
	curl_free(fragment);
	return problem;
}

static bool check_url(struct http *http, char message[HTTP_MESSAGE_MAX])
{
	CURLU *url = curl_url();
	const char *text = http->options.url, *problem = "out of memory";

	if (url) {
		bool sound = curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK;
		problem = sound ? find_url_problem(url, &http->bare) : "not a URL";
	}
	curl_url_cleanup(url);
	http->url_length = strlen(text);
	while (http->url_length > 0 && text[http->url_length - 1] == '/')
		http->url_length--;
	if (problem)
		snprintf(message, HTTP_MESSAGE_MAX, "%s", problem);
	return problem == NULL;
}

static int on_progress(void *context, curl_off_t all_in, curl_off_t in, curl_off_t all_out,
                       curl_off_t out)
{
	const struct http *http = context;
	curl_off_t all = all_out > 0 ? all_out : all_in;

	http->options.progress(http->options.context, (uint64_t)out, (uint64_t)in, (uint64_t)all);
	return 0;
}

static void set_curl_options(struct http *http)
{
	CURL *curl = http->curl;

#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
	curl_easy_setopt(curl, CURLOPT_SHARE, http->share);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->error);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "cairn/" CAIRN_VERSION);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)HTTP_CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)HTTP_SILENT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)HTTP_REDIRECTS_MAX);
	if (getenv(HTTP_CERTIFICATES_VARIABLE))
		curl_easy_setopt(curl, CURLOPT_CAINFO, getenv(HTTP_CERTIFICATES_VARIABLE));
	if (http->options.progress) {
		curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
		curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
		curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
	}
}

bool http_open(const struct http_options *options, struct http **http,
               char message[HTTP_MESSAGE_MAX])
{
	struct http *made = calloc(1, sizeof(*made));

	snprintf(message, HTTP_MESSAGE_MAX, "out of memory");
	if (!made)
		return false;
	made->options = *options;
	if (made->options.seconds == 0)
		made->options.seconds = HTTP_SECONDS;
	curl_global_init(CURL_GLOBAL_DEFAULT);
	if (check_url(made, message)) {
		made->curl = curl_easy_init();
		made->share = curl_share_init();
	}
	if (!made->curl || !made->share) {
		curl_easy_cleanup(made->curl);
		curl_share_cleanup(made->share);
		free(made);
		return false;
	}
	curl_share_setopt(made->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	curl_share_setopt(made->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
	curl_share_setopt(made->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	set_curl_options(made);
	*http = made;
	return true;
}

void http_close(struct http *http)
{
	curl_easy_cleanup(http->curl);
	curl_share_cleanup(http->share);
	free(http);
}

bool http_is_unencrypted(const struct http *http)
{
	return http->bare;
}

static uint64_t milliseconds_left(const struct http *http)
{
	uint64_t now = channel_clock();

	return now < http->end ? http->end - now : 0;
}

static bool is_late(const struct http *http)
{
	if (milliseconds_left(http) > 0)
		return false;
	snprintf(http->request->lost, sizeof(http->request->lost), "not complete after %u seconds",
	         http->options.seconds);
	return true;
}

bool http_text_begin(void *context)
{
	struct http_text *text = context;

	text->size = 0;
	return true;
}

bool http_text_take(void *context, unsigned status, struct cairn_bytes piece)
{
	struct http_text *text = context;

	(void)status;
	if (piece.size > sizeof(text->bytes) - text->size)
		return false;
	memcpy(text->bytes + text->size, piece.data, piece.size);
	text->size += piece.size;
	return true;
}

static size_t on_body(char *data, size_t one, size_t size, void *context)
{
	const struct http *http = context;
	struct http_request *request = http->request;
	long status = 0;

	(void)one;
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	struct cairn_bytes piece = { (const uint8_t *)data, size };
	if (request->take(request->context, (unsigned)status, piece))
		return size;
	request->stopped = true;
	return size + 1; /* libcurl aborts the transfer unless the result is `size` */
}

static bool add_header(struct curl_slist **list, const char *name, const char *before,
                       const char *value)
{
	char line[HEADER_MAX];
	const int length = snprintf(line, sizeof(line), "%s: %s%s", name, before, value);
	struct curl_slist *longer =
		length > 0 && (size_t)length < sizeof(line) ? curl_slist_append(*list, line) : NULL;

	if (longer)
		*list = longer;
	return longer != NULL;
}

static bool make_headers(const struct http *http, struct curl_slist **list)
{
	const struct http_request *request = http->request;
	const char *key = http->options.key;
	bool good = true;

	for (size_t i = 0; good && i < request->header_count; i++)
		good = add_header(list, request->headers[i].name, "", request->headers[i].value);
	return good && (!key || add_header(list, "Authorization", "APIKey ", key));
}

static void set_request(struct http *http, const char *url, struct curl_slist *headers)
{
	const struct http_request *request = http->request;
	CURL *curl = http->curl;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION,
	                 request->post || request->stays || headers ? 0L : 1L);
	if (request->post) {
		curl_easy_setopt(curl, CURLOPT_POST, 1L);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body.data);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size);
	} else {
		curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
	}
}

/*
 * Replace the handle if it has been used. libcurl 7.88 keeps a pointer to the last header of a
 * response. If the next response on the same handle begins with a continuation line, it uses the
 * header, although it has freed it.
 */
static bool renew_handle(struct http *http)
{
	if (!http->used)
		return true;
	CURL *fresh = curl_easy_init();
	if (!fresh)
		return false;
	curl_easy_cleanup(http->curl);
	http->curl = fresh;
	http->used = false;
	set_curl_options(http);
	return true;
}

static CURLcode perform_attempt(struct http *http, const char *url, struct curl_slist *headers)
{
	struct http_request *request = http->request;
	long status = 0;

	if (!renew_handle(http)) {
		request->status = 0;
		snprintf(request->lost, sizeof(request->lost), "out of memory");
		return CURLE_OUT_OF_MEMORY;
	}
	http->used = true;
	http->error[0] = '\0';
	set_request(http, url, headers);
	/* a timeout of 0 would be none */
	const uint64_t left = milliseconds_left(http);
	curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, left > 0 ? (long)left : 1L);
	const CURLcode code = curl_easy_perform(http->curl);
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	request->status = (unsigned)status;
	request->lost[0] = '\0';
	if (code != CURLE_OK)
		snprintf(request->lost, sizeof(request->lost), "%s",
		         http->error[0] ? http->error : curl_easy_strerror(code));
	return code;
}

/*
 * Return true after connection failures and temporary server errors, because a retry may succeed.
 */
static bool is_worth_it(CURLcode code, unsigned status)
{
	if (code == CURLE_OK)
		return status == 429 || (status >= 500 && status < 600);
	return code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT ||
	       code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
	       code == CURLE_PARTIAL_FILE;
}

/*
 * Return the delay before the next attempt in milliseconds. It doubles each time, has jitter so
 * that clients do not retry simultaneously, and is at least Retry-After.
 */
static unsigned choose_retry_delay(const struct http *http, unsigned attempt)
{
	uint64_t wait = http->options.backoff;
	struct timespec now;
	curl_off_t asked = 0;

	for (unsigned i = 1; i < attempt && wait < HTTP_WAIT_MAX; i++)
		wait *= 2;
	clock_gettime(CLOCK_REALTIME, &now);
	wait += wait / 4 * ((uint64_t)now.tv_nsec / 1000 % 256) / 256;
	if (curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &asked) == CURLE_OK && asked > 0 &&
	    wait < (uint64_t)asked * 1000)
		wait = (uint64_t)asked * 1000;
	return wait < HTTP_WAIT_MAX ? (unsigned)wait : HTTP_WAIT_MAX;
}

static void wait_for_retry(const struct http *http, unsigned number)
{
	const struct http_options *options = &http->options;
	const struct http_request *request = http->request;
	unsigned wait = choose_retry_delay(http, number);
	struct http_retry retry = { request->lost[0] ? request->lost : NULL, request->status,
		                    number + 1, options->retries + 1, wait };
	uint64_t most = milliseconds_left(http);
	uint64_t nap = wait < most ? wait : most;
	struct timespec left = { (time_t)(nap / 1000), (long)(nap % 1000) * 1000000 };

	if (options->retrying)
		options->retrying(options->context, &retry);
	while (nanosleep(&left, &left) != 0)
		continue;
}

static bool run_attempts(struct http *http, const char *url, struct curl_slist *headers)
{
	struct http_request *request = http->request;
	unsigned attempts = http->options.retries + 1;
	CURLcode code = CURLE_OK;

	for (unsigned i = 1; i <= attempts; i++) {
		if (request->begin && !request->begin(request->context)) {
			request->stopped = true;
			return false;
		}
		code = perform_attempt(http, url, headers);
		if (request->stopped || i == attempts || !is_worth_it(code, request->status))
			break;
		if (!is_late(http))
			wait_for_retry(http, i);
		if (is_late(http))
			return false;
	}
	return code == CURLE_OK;
}

bool http_send(struct http *http, struct http_request *request)
{
	struct curl_slist *headers = NULL;
	char url[URL_MAX];
	int length = snprintf(url, sizeof(url), "%.*s%s", (int)http->url_length, http->options.url,
	                      request->path);
	bool done = false;

	http->request = request;
	http->end = channel_clock() + http->options.seconds * UINT64_C(1000);
	request->status = 0;
	request->stopped = false;
	if (length < 0 || (size_t)length >= sizeof(url)) {
		snprintf(request->lost, sizeof(request->lost), "the URL is too long");
	} else if (!make_headers(http, &headers)) {
		snprintf(request->lost, sizeof(request->lost), "out of memory");
	} else {
		done = run_attempts(http, url, headers);
		curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, NULL);
	}
	curl_slist_free_all(headers);
	return done;
}
