/* SPDX-License-Identifier: MIT */
/*
 * `cairn symbfile push`: plans an upload of symbfiles, sends it, and prints its progress and the
 * server's responses.
 */
#include "net.h"

#include "base/byte_buffer.h"
#include "cli/front/functions.h"
#include "output/escape.h"
#include "server/protocol/symbfile_split.h"
#include "server/protocol/upload.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { PUSH_PART_SIZE = 16 << 20 };

struct push_file {
	const char *path;
	struct os_file bytes;
	enum upload_kind kind;
	struct symbfile_split split;
	/*
	 * contains only the file name; describe_part_upload() adds the other members for each part
	 */
	struct upload upload;
};

struct push_plan {
	struct fileid id;
	const char *executable; /* path of the executable; NULL if the user gave a FileID instead */
	struct push_file file[UPLOAD_KINDS];
	size_t count;

	const char *url, *key; /* `key` is the API key, which may be NULL */
	struct http *http;
	enum form form;

	/* file being sent, for the progress bar */
	const struct push_file *now;
	uint32_t part;
	int shown; /* width of the progress bar on the terminal in columns */
};

enum { BAR_WIDTH = 30 };

static void clear_bar(struct push_plan *plan)
{
	if (plan->shown > 0) {
		fprintf(stderr, "\r%*s\r", plan->shown, "");
		fflush(stderr);
	}
	plan->shown = 0;
}

/* Draw the progress bar, as in "ranges 2/5 [=========>          ]  42%  5.1 MB". */
static void push_progress(void *context, uint64_t sent, uint64_t received, uint64_t of)
{
	struct push_plan *plan = context;
	uint32_t parts = plan->now->split.count;
	char bar[BAR_WIDTH + 1];

	(void)received;
	if (of == 0)
		return;
	double done = ((double)plan->part + (double)sent / (double)of) / parts;
	size_t filled = (size_t)(done * (double)BAR_WIDTH);
	for (size_t i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
	bar[BAR_WIDTH] = '\0';
	int width = fprintf(stderr, "\r%s %" PRIu32 "/%" PRIu32 " [%s] %3.0f%%  %.1f MB",
	                    upload_kind_name(plan->now->kind), plan->part + 1, parts, bar,
	                    100 * done, done * (double)plan->now->bytes.bytes.size / 1e6);
	plan->shown = width > plan->shown ? width : plan->shown;
	fflush(stderr);
}

static void push_print_retry(void *context, const struct http_retry *retry)
{
	clear_bar(context);
	net_print_retry(NULL, retry);
}

static void print_part_json(const struct push_plan *plan, const struct upload *upload, size_t size,
                            const struct push_result *result)
{
	const char *outcome = !result                               ? "dry-run"
	                      : !result->answered                   ? "lost"
	                      : result->answer.outcome == UPLOAD_OK ? "ok"
	                                                            : "failed";
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_string(&json, "file", plan->now->path);
	json_string(&json, "kind", upload_kind_name(upload->kind));
	json_string(&json, "file_id", net_id_text(&upload->id));
	json_number(&json, "part", upload->part);
	json_number(&json, "parts", upload->parts);
	json_number(&json, "size", size);
	json_string(&json, "outcome", outcome);
	if (result && result->answered) {
		json_number(&json, "status", result->answer.status);
		json_string(&json, "code", result->answer.code);
		json_string(&json, "text", result->answer.text);
		json_string(&json, "uuid", result->answer.uuid);
	} else if (result) {
		json_string(&json, "text", result->lost);
	}
	json_end(&json);
}

static struct upload describe_part_upload(const struct push_plan *plan)
{
	struct upload upload = plan->now->upload;

	upload.kind = plan->now->kind;
	upload.id = plan->id;
	upload.part = plan->part;
	upload.parts = plan->now->split.count;
	return upload;
}

static bool make_part(struct push_plan *plan, struct cairn_bytes *bytes)
{
	struct push_file *file = &plan->file[plan->now - plan->file];
	enum cairn_status status = symbfile_split_part(&file->split, plan->part, bytes);

	if (status != CAIRN_OK)
		print_diagnostic(file->path, "part %" PRIu32 ": %s", plan->part,
		                 cairn_status_text(status));
	return status == CAIRN_OK;
}

static bool send_part(struct push_plan *plan)
{
	struct upload upload = describe_part_upload(plan);
	struct push_result result;
	struct cairn_bytes bytes;

	if (!make_part(plan, &bytes))
		return false;
	bool done = push_part(plan->http, &upload, bytes, &result);
	clear_bar(plan);
	if (plan->form == FORM_JSON)
		print_part_json(plan, &upload, bytes.size, &result);
	if (!done) {
		print_diagnostic(plan->now->path, "part %" PRIu32 " of %" PRIu32 " was not sent",
		                 upload.part + 1, upload.parts);
		print_string_between(stderr, "cairn: ", plan->url, "");
		fputs(result.answered ? ": the server answers " : ": ", stderr);
		if (result.answered)
			net_print_answer(&result.answer);
		else
			print_string(stderr, result.lost);
		fputc('\n', stderr);
	}
	return done;
}

static int push_all(struct push_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		plan->now = &plan->file[i];
		uint32_t parts = plan->now->split.count;
		for (plan->part = 0; plan->part < parts; plan->part++)
			if (!send_part(plan))
				return EXIT_BROKEN;
		if (plan->form != FORM_JSON) {
			print_string(stdout, plan->now->path);
			printf(": %s of %s sent, %zu bytes in %" PRIu32 " part%s\n",
			       upload_kind_name(plan->now->kind), net_id_text(&plan->id),
			       plan->now->bytes.bytes.size, parts, parts == 1 ? "" : "s");
		}
	}
	return EXIT_CLEAN;
}

static const char about[] =
	"Send symbfiles, ranges and return pads, to a symbol server, which knows them by the "
	"FileID\n"
	"of the executable: name the executable before the files, or give its FileID. The kind of "
	"a\n"
	"FILE is detected from its content. For an EXECUTABLE without FILEs, both are created "
	"first,\n"
	"as by 'cairn symbfile create'. Large files are sent in parts, and a part is sent again "
	"if\n"
	"the connection is lost or the server is overloaded. Running the command again sends\n"
	"everything again, which does no harm.\n"
	"The API key is read from a file or from the variable " NET_KEY_VARIABLE ".";
struct settings {
	const char *url, *file_id, *debug;
	struct net_key_options key;
	uint64_t part_size, retries, backoff;
	bool dry_run, quiet;
	enum form form;
};

/*
 * Determine which kind of records the file contains. If the file cannot be sent, print a diagnostic
 * and return false.
 */
static bool find_kind(const char *path, struct cairn_bytes bytes, enum upload_kind *kind)
{
	struct upload_parts_view view = upload_parts_view(bytes);

	if (view.code != SYMBFILE_VALID) {
		print_fault_diagnostic(path, NULL, &view.fault, "nothing was sent");
		return false;
	}
	if (view.ranges > 0 && view.pads > 0)
		return refuse_with(path, "contains both ranges and return pads; servers accept "
		                         "only one kind per file");
	*kind = view.pads > 0 ? UPLOAD_RETURNPADS : UPLOAD_RANGES;
	return true;
}

/* Add a file to the plan, which takes ownership of its bytes, even on failure. */
static bool add_kind(struct push_plan *plan, const struct settings *s, struct push_file file)
{
	struct cairn_fault fault;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->file[i].kind == file.kind) {
			print_diagnostic(
				file.path,
				"a second file with %s would replace the first; nothing was sent",
				upload_kind_name(file.kind));
			os_file_close(&file.bytes);
			return false;
		}
	if (symbfile_split_open(file.bytes.bytes, s->part_size, &file.split, &fault) != CAIRN_OK) {
		print_fault_diagnostic(file.path, NULL, &fault, "use a larger --part-size");
		os_file_close(&file.bytes);
		return false;
	}
	if (file.split.count > 1)
		upload_set_name(&file.upload, file.bytes.bytes, s->part_size);
	plan->file[plan->count++] = file;
	return true;
}

struct made_files {
	struct byte_buffer ranges, pads;
};

static int take_made_bytes(void *context, const char *suffix, const void *bytes, size_t size)
{
	struct made_files *made = context;
	struct byte_buffer *file = strcmp(suffix, ".ranges") == 0 ? &made->ranges : &made->pads;

	byte_buffer_bytes(file, bytes, size);
	return file->failed ? ENOMEM : 0;
}

static bool add_made(struct push_plan *plan, const struct settings *s, enum upload_kind kind,
                     struct byte_buffer *made)
{
	struct push_file file = { .path = plan->executable,
		                  .kind = kind,
		                  .bytes = { .bytes = { made->data, made->size },
		                             .memory = made->data } };

	made->data = NULL;
	return add_kind(plan, s, file);
}

static bool convert_executable(const struct push_plan *plan, const struct settings *s,
                               struct made_files *made, struct cairn_symbfile_summary *summary)
{
	struct functions_input input = FUNCTIONS_INPUT;
	struct cairn_symbfile_options options = CAIRN_SYMBFILE_OPTIONS;
	const struct cairn_output output = { sizeof(output), NULL, take_made_bytes, made };
	bool done = false;

	options.program = s->debug ? plan->executable : NULL;
	struct cairn_functions *functions =
		functions_input_open(&input, s->debug ? s->debug : plan->executable);
	if (functions) {
		done = cairn_functions_write_symbfiles(functions, &options, &output, summary,
		                                       &input.error) == CAIRN_OK;
		if (!done)
			functions_input_fail(&input);
	}
	functions_input_close(&input, functions);
	return done;
}

/* Set the executable. Its FileID identifies the files on the server. */
static bool add_executable(struct push_plan *plan, const char *path, struct cairn_bytes bytes)
{
	if (plan->executable)
		return refuse_with(path,
		                   "expected a symbfile, because only one executable can be given");
	plan->executable = path;
	plan->id = fileid_of(bytes);
	return true;
}

static bool add_operand(struct push_plan *plan, const struct settings *s, const char *path)
{
	struct os_file bytes;

	if (!input_open(path, &bytes))
		return false;
	const char *packed = symbfile_compression(bytes.bytes);
	if (packed) {
		os_file_close(&bytes);
		if (!input_open_unpacked(path, &bytes))
			return false;
	}
	if (symbfile_has_magic(bytes.bytes)) {
		struct push_file file = { .path = path, .bytes = bytes };
		if (!find_kind(path, bytes.bytes, &file.kind)) {
			os_file_close(&bytes);
			return false;
		}
		return add_kind(plan, s, file);
	}
	if (packed)
		print_diagnostic(path, "the %s file contains no symbfile", packed);
	bool done = !packed && add_executable(plan, path, bytes.bytes);
	os_file_close(&bytes);
	return done;
}

static bool make_plan(struct push_plan *plan, const struct settings *s, int count, char **paths)
{
	for (int i = 0; i < count; i++)
		if (!add_operand(plan, s, paths[i]))
			return false;
	if (s->file_id && plan->executable)
		return refuse_with(
			plan->executable,
			"not a symbfile, and --file-id already identifies the executable");
	if (s->debug && (plan->count > 0 || !plan->executable))
		return refuse_with(s->debug,
		                   "--debug requires an executable to create symbfiles from");
	if (plan->count == 0 && plan->executable) {
		struct made_files made = { { .limit = SIZE_MAX }, { .limit = SIZE_MAX } };
		struct cairn_symbfile_summary summary = { .size = sizeof(summary) };
		bool done = convert_executable(plan, s, &made, &summary);
		done = done && add_made(plan, s, UPLOAD_RANGES, &made.ranges);
		if (done && summary.pads > 0)
			done = add_made(plan, s, UPLOAD_RETURNPADS, &made.pads);
		byte_buffer_finish(&made.ranges);
		byte_buffer_finish(&made.pads);
		return done;
	}
	if (plan->count > 0 && (s->file_id || plan->executable))
		return true;
	return refuse_with(NULL,
	                   "cannot tell which executable the symbols belong to; name it before "
	                   "the files, or specify its FileID with --file-id");
}

static int send_plan(const struct settings *s, struct push_plan *plan, const char *key)
{
	struct http_options options = { .url = s->url,
		                        .key = key[0] ? key : NULL,
		                        .retries = (unsigned)s->retries,
		                        .backoff = (unsigned)s->backoff,
		                        .retrying = push_print_retry,
		                        .progress = !s->quiet && isatty(STDERR_FILENO)
		                                            ? push_progress
		                                            : NULL,
		                        .context = plan };
	char message[HTTP_MESSAGE_MAX];

	plan->url = s->url;
	plan->key = options.key;
	plan->form = s->form;
	if (s->dry_run) {
		struct cairn_bytes bytes;
		for (size_t i = 0; i < plan->count; i++) {
			plan->now = &plan->file[i];
			for (plan->part = 0; plan->part < plan->now->split.count; plan->part++) {
				struct upload upload = describe_part_upload(plan);
				if (!make_part(plan, &bytes))
					return EXIT_BROKEN;
				if (plan->form == FORM_JSON)
					print_part_json(plan, &upload, bytes.size, NULL);
				else {
					size_t length = strlen(plan->url);
					while (length > 0 && plan->url[length - 1] == '/')
						length--;
					print_text_between(
						stdout, "POST ",
						(struct cairn_bytes){ (const uint8_t *)plan->url,
					                              length },
						"");
					printf("%s FileID: %s FilePart: %" PRIu32
					       " FileParts: %" PRIu32 " Content-Length: %zu%s\n",
					       upload_kind_path(upload.kind),
					       net_id_text(&upload.id), upload.part, upload.parts,
					       bytes.size,
					       plan->key ? " Authorization: APIKey (hidden)" : "");
				}
			}
		}
		return EXIT_CLEAN;
	}
	if (!http_open(&options, &plan->http, message))
		return fail_with(s->url, "%s", message);
	if (plan->key)
		net_warn_of_plain_http(plan->http, s->url);
	int status = push_all(plan);
	http_close(plan->http);
	return status;
}

int symbfile_push_verb(int argc, char **argv)
{
	struct settings s = { .part_size = PUSH_PART_SIZE,
		              .retries = HTTP_RETRIES,
		              .backoff = HTTP_BACKOFF };
	const struct option options[] = {
		OPTION_TEXT("url", "URL", "the URL of the server", &s.url),
		OPTION_API_KEY_FILE(&s.key.file),
		OPTION_API_KEY(&s.key.text),
		OPTION_TEXT("file-id", "FILEID",
		            "the FileID of the executable, instead of its file", &s.file_id),
		OPTION_TEXT("debug", "FILE", "the debugging information of the executable",
		            &s.debug),
		OPTION_NUMBER("part-size", "N", "send parts of at most N bytes (16 MiB)",
		              &s.part_size),
		OPTION_NUMBER("retries", "N", "try a part again N times (5)", &s.retries),
		OPTION_NUMBER("backoff", "N", "wait N milliseconds before the first retry (500)",
		              &s.backoff),
		OPTION_FLAG("dry-run", "print what would be sent", &s.dry_run),
		OPTION_NO_PROGRESS(&s.quiet),
		OPTION_JSON(&s.form),
	};
	const struct command command = COMMAND(
		"cairn symbfile push [OPTION...] --url URL [EXECUTABLE] [FILE...]", about, options,
		OPERANDS(0, OPERANDS_MANY, "FILE"), .rights = RIGHT_FINDS | RIGHT_NETWORK);
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!s.url || argc == 0)
		return usage_error(&command, s.url ? "no files to send" : "--url is required");
	if (s.key.file && s.key.text)
		return usage_error(&command, "--api-key and --api-key-file are mutually exclusive");
	if (s.retries > UINT16_MAX || s.backoff > HTTP_WAIT_MAX || s.part_size == 0)
		return usage_error(&command,
		                   "--retries must be at most %d, --backoff at most %d and "
		                   "--part-size greater than 0",
		                   UINT16_MAX, HTTP_WAIT_MAX);
	/*
	 * Read the key first, so that a key on the command line is overwritten even if an error
	 * follows.
	 */
	struct push_plan plan = { .count = 0 };
	char key[UPLOAD_KEY_MAX];
	status = EXIT_BROKEN;
	if (!net_key(&s.key, true, key))
		return EXIT_BROKEN;
	if (s.file_id && !fileid_parse(borrow_string(s.file_id), &plan.id)) {
		print_word_diagnostic("--file-id", s.file_id, "not a FileID");
		return EXIT_USAGE;
	}
	if (make_plan(&plan, &s, argc, argv))
		status = send_plan(&s, &plan, key);
	for (size_t i = 0; i < plan.count; i++) {
		symbfile_split_finish(&plan.file[i].split);
		os_file_close(&plan.file[i].bytes);
	}
	memset(key, 0, sizeof(key));
	return status;
}
