# SPDX-License-Identifier: MIT
# Finds the messages of C sources: awk -f messages.awk FILE... prints FILE, a tab, the function that takes the message,
# a tab, and its text.
#
# A message is a literal of three words or more among the arguments of a function that reports: one whose name says
# so, such as print_diagnostic(), reply_error(), reader_fail_at() or reject_row(). Between two literals, PRIx64 is
# replaced by "x", so that the directive is complete, and another macro by "%s".

function is_reporter(name) {
	return name ~ /^(print_diagnostic|print_fault_diagnostic|print_word_diagnostic|usage_error|error_set|error_set_fault|error_set_system|message_tell|message_tell_word|message_tell_fault|reply_error|log_failure|reader_fail|reader_fail_at|give_up|complain_at)$/ ||
		name ~ /^(reject|fail|refuse|report|stop_at|expect|require|record|end)_[a-z_]+$/ || name ~ /_fault(_at)?$/
}

function end_literal() {
	if (literal != "" && split(literal, words, " ") >= 3 && depth > 0 && is_reporter(callee[depth]))
		print file "\t" callee[depth] "\t" literal
	literal = ""
}

function read_tokens(text, token) {
	depth = 0
	previous = literal = ""
	while (match(text, /\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[A-Za-z_][A-Za-z_0-9]*|[(){},;?:]/)) {
		token = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (token == "/*") {
			text = substr(text, index(text, "*/") + 2)
		} else if (token ~ /^"/) {
			literal = literal substr(token, 2, length(token) - 2)
		} else if (literal != "" && token ~ /^PRI/) {
			literal = literal "x"
		} else if (literal != "" && token ~ /^[A-Z][A-Z_0-9]+$/) {
			literal = literal "%s"
		} else {
			end_literal()
			if (token == "(" || token == "{")
				callee[++depth] = token == "(" ? previous : ""
			else if ((token == ")" || token == "}") && depth > 0)
				depth--
		}
		previous = token
	}
}

FNR == 1 && file != "" { read_tokens(source) }
FNR == 1 { file = FILENAME; source = "" }
{ source = source $0 "\n" }
END { read_tokens(source) }
