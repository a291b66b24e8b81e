/* SPDX-License-Identifier: MIT */
/* Holds the command table, checks the words of a request and runs the command's handler. */
#include "commands.h"

#include "queries/colors.h"

#include <string.h>

static const struct command commands[] = {
	{ "cairn status", "[-json]",
	  "Show cairn's version, its settings, and the modules that it knows.", "cairn status",
	  command_status },
	{ "cairn modules", "[-json]", "List the modules that cairn knows, with their build IDs.",
	  "cairn modules -json", command_modules },
	{ "cairn where", "[-json] EXPRESSION",
	  "Show the module, function, line and unwind rule of an address.\n"
	  "The expression is in the current language of the program.",
	  "cairn where $pc", command_where },
	{ "cairn bt", "[-json] [-explain] [-full-path] [COUNT]",
	  "Print the stack of the selected thread as cairn unwinds it by SFrame.\n"
	  "COUNT limits it to the innermost frames, a negative COUNT to the outermost.  Without\n"
	  "COUNT it shows 1000 frames, and a line at the end if there are more.\n"
	  "With -explain each frame shows how its caller was found, or why not.",
	  "cairn bt -explain 10", command_bt },
	{ "cairn sframe", "[-json] [EXPRESSION]",
	  "Show the SFrame rule at an address; without an argument, at the innermost frame.",
	  "cairn sframe main", command_sframe },
	{ "cairn sync", "",
	  "Take the modules from GDB's own list (info files).\n"
	  "Use it for slow remote targets, and for cores that lack the headers of modules.",
	  "cairn sync", command_sync },
	{ "cairn load-reader", "PATH",
	  "Load another JIT reader, which cairn asks when it has no answer itself.\n"
	  "GDB loads only one reader; with this command it can use more.",
	  "cairn load-reader /usr/lib/gdb/libjit.so", command_load_reader },
	{ "cairn cbf", "[-json] [-full-path] [-backtrace] [-array] EXPRESSION [LENGTH]",
	  "Decode the Swift backtrace (Compact Backtrace Format) at an address.\n"
	  "LENGTH is a number of bytes; without it the backtrace is read until it ends.\n"
	  "With -backtrace the address is that of a Backtrace value; with -array it is that of\n"
	  "an array that find-cbf listed.  Both also use the images that belong to it.",
	  "cairn cbf -backtrace &trace", command_cbf },
	{ "cairn markup", "[-json] [-string] [-file] [-full-path] EXPRESSION [LENGTH]",
	  "Show text with symbolizer markup, with names instead of addresses.\n"
	  "The text is LENGTH bytes of memory; with -string it ends at a zero byte; with -file it\n"
	  "is a file.  LENGTH is an expression, too.  If the text names no modules, cairn uses\n"
	  "those of the session.",
	  "cairn markup log_ring 4096", command_markup },
	{ "cairn find-cbf", "[-json] [-arrays] [-full-path] [START] [END]",
	  "Find the Swift backtraces in the writable memory of the process or core.\n"
	  "With -arrays it also finds arrays of bytes that no Backtrace refers to.",
	  "cairn find-cbf", command_find_cbf },
	{ "cairn add-gsym", "[-json] [-force] [-only] [-module NAME] [-offset N] FILE",
	  "Use the symbols of a GSYM file for the module that it was made for.\n"
	  "GDB loads them as its own; with -only, just \"cairn where\" and \"cairn bt\" use them.\n"
	  "-module names the module (its path or file name), and -force uses symbols that were\n"
	  "made for another build of it.  -offset N adds N to every address of FILE.",
	  "cairn add-gsym /srv/app.gsym", command_add_gsym },
	{ "cairn add-symbfile",
	  "[-json] [-force] [-only] [-module NAME] [-offset N] [-url URL] FILE|FILEID",
	  "Use the symbols of a symbfile of ranges for the module that it was made for.\n"
	  "GDB loads them as its own; with -only, just \"cairn where\" and \"cairn bt\" use them.\n"
	  "A symbfile does not record its module.  FILEID.symbfile is for the module whose file\n"
	  "has that FileID, and NAME.ranges for the module NAME; -module names another one,\n"
	  "and -force uses the symbols of another FileID.  FILEID alone means the file that\n"
	  "\"cairn symbfile fetch\" put into the cache; -url URL fetches it if it is missing.\n"
	  "-offset N adds N to every address.",
	  "cairn add-symbfile /srv/app.ranges", command_add_symbfile },
	{ "cairn add-breakpad", "[-json] [-force] [-only] [-module NAME] [-offset N] FILE",
	  "Use the symbols of a Breakpad file for the module that it was made for.\n"
	  "GDB loads them as its own; with -only, just \"cairn where\" and \"cairn bt\" use them.\n"
	  "-module names the module (its path or file name), and -force uses symbols that were\n"
	  "made for another build of it.  -offset N adds N to every address of FILE.",
	  "cairn add-breakpad /srv/app.sym", command_add_breakpad },
	{ "cairn symbols load", "[-json] [MODULE|all]",
	  "Load the symbols of modules into GDB.\n"
	  "The symbols come from files given with \"cairn add-gsym\", \"add-symbfile\" or\n"
	  "\"add-breakpad\", or found by build ID or FileID: beside the binary, in\n"
	  "\"set cairn gsym-directory\", in /usr/lib/debug and in the cache.\n"
	  "Without MODULE, or with \"all\", it skips modules that GDB already has lines for.",
	  "cairn symbols load", command_symbols_load },
	{ "cairn symbols unload", "[-json] [MODULE|all]",
	  "Remove the symbols that cairn loaded into GDB.", "cairn symbols unload all",
	  command_symbols_unload },
	{ "set cairn auto-symbols", "on|off",
	  "Set whether cairn loads symbols at each stop for modules that have none.\n"
	  "For a program not yet started, it loads them before the first breakpoint or run.\n"
	  "cairn adds a line to the hooks of stop, core-file, attach, file, break, tbreak, run,\n"
	  "start and starti; a hook that you defined keeps its own commands after that line.",
	  "set cairn auto-symbols on", command_set_auto_symbols },
	{ "show cairn auto-symbols", "",
	  "Show whether cairn loads symbols for modules that have none.", NULL,
	  command_show_auto_symbols },
	{ "set cairn gsym-directory", "DIR[:DIR...]",
	  "Set where cairn looks for GSYM files: DIR/NAME.gsym and DIR/.build-id/ab/cdef.gsym.",
	  "set cairn gsym-directory /srv/symbols", command_set_gsym_directory },
	{ "show cairn gsym-directory", "", "Show where cairn looks for GSYM files.", NULL,
	  command_show_gsym_directory },
	{ "set cairn unwinder", "auto|always|off",
	  "Set which frames cairn unwinds.\n"
	  "auto: those for which GDB has no call frame information (the default);\n"
	  "always: every frame whose module has SFrame; off: none.",
	  "set cairn unwinder always", command_set_unwinder },
	{ "show cairn unwinder", "", "Show which frames cairn unwinds.", NULL,
	  command_show_unwinder },
	{ "set cairn color", "auto|on|off",
	  "Set whether cairn's output is coloured.\n"
	  "auto: coloured if GDB's own output is (the default).",
	  "set cairn color off", command_set_color },
	{ "show cairn color", "", "Show whether cairn's output is coloured.", NULL,
	  command_show_color },
	{ "cairn-ping", "", NULL, NULL, command_ping },
	{ "cairn-gather", "", NULL, NULL, command_follow },
};

const struct command_table command_table = { commands, sizeof(commands) / sizeof(*commands) };

/* Does the usage name the option?  It stands there as "[-name]" or "[-name VALUE]". */
static bool knows_option(const struct command *command, const char *name)
{
	const char *at = command->usage;
	size_t size = strlen(name);

	while ((at = strstr(at, "[-")) != NULL) {
		at += 2;
		if (strncmp(at, name, size) == 0 && (at[size] == ']' || at[size] == ' '))
			return true;
	}
	return false;
}

/* Are the words such as the command's usage says? */
static bool check_words(struct command_call *call, const struct command *command)
{
	const struct request *r = call->request;
	unsigned first = words_first_operand(r);
	const char *operand = strrchr(command->usage, ' ');

	operand = operand ? operand + 1 : command->usage;
	for (unsigned i = 0; i < first; i++)
		if (strcmp(r->words[i], "--") != 0 &&
		    !knows_option(command, option_name(r->words[i]))) {
			reply_error(call, "no option %s; usage: %s %s", r->words[i], command->name,
			            command->usage);
			return false;
		}
	bool takes = *operand && strncmp(operand, "[-", 2) != 0;
	if (r->too_many || (r->word_count > first && !takes))
		reply_error(call, "too many words; usage: %s %s", command->name, command->usage);
	else if (r->word_count == first && takes && *operand != '[')
		reply_error(call, "%s is missing; usage: %s %s", operand, command->name,
		            command->usage);
	return !call->failed;
}

/* The words of the first call are kept while GDB is asked. */
static void store_request(struct session *s, const struct request *request)
{
	text_reset(&s->exchange.words);
	s->exchange.kept = *request;
	for (unsigned i = 0; i < request->word_count; i++)
		text_bytes(&s->exchange.words, request->words[i], strlen(request->words[i]) + 1);
	size_t at = 0;
	for (unsigned i = 0; i < request->word_count && !s->exchange.words.cut; i++) {
		s->exchange.kept.words[i] = s->exchange.words.data + at;
		at += strlen(s->exchange.words.data + at) + 1;
	}
	if (s->exchange.words.cut)
		s->exchange.kept.word_count = 0;
}

/* Take the request, a new one or the output that the last reply asked for. */
static bool receive_request(struct session *s, struct request *request)
{
	if (!channel_receive(&s->exchange.channel, request))
		return false;
	bool resumed =
		request->again && s->exchange.waiting && request->number == s->exchange.kept.number;
	s->exchange.waiting = false;
	if (request->again)
		return resumed;
	if (request->verb >= command_table.count)
		return false;
	store_request(s, request);
	sources_recover(&s->sources);
	s->asked = PENDING_NOTHING;
	s->unwinder.gdb_major = request->gdb_major;
	return true;
}

static void execute_command(struct command_call *call, const struct command *command)
{
	call->json = command_call_option(call, "json");
	if (call->session->asked != PENDING_NOTHING || check_words(call, command))
		command->run(call);
	if (call->failed)
		text_add(call->reply, "cairn-got\n");
	else if (!call->exchange->waiting)
		text_add(call->reply, "cairn-done\n");
}

void command_run(struct session *session, const struct cairn_registers *frame, bool asked)
{
	static const char nothing[] = "\n";
	struct request request;

	if (!receive_request(session, &request)) {
		channel_publish(&session->exchange.channel, nothing, sizeof(nothing) - 1);
		return;
	}
	text_reset(&session->exchange.reply);
	text_reset(&session->exchange.line);
	session->exchange.line.colored = colors_enabled(session, &session->exchange.kept);
	struct command_call call = { .session = session,
		                     .exchange = &session->exchange,
		                     .request = &session->exchange.kept,
		                     .frame = frame,
		                     .output = request.again ? request.output : NULL,
		                     .output_size = request.again ? request.output_size : 0,
		                     .reply = &session->exchange.reply,
		                     .line = &session->exchange.line,
		                     .asked = asked };
	execute_command(&call, &commands[session->exchange.kept.verb]);
	channel_reply(&session->exchange.channel, session->exchange.kept.number,
	              &session->exchange.reply);
	session->exchange.kept.number += session->exchange.waiting;
}
