/* SPDX-License-Identifier: MIT */
/* What libsass runs while its registers are compared, for programs.sh: it compiles one style sheet. */
#include "sass/context.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct Sass_File_Context *file = sass_make_file_context(argc > 1 ? argv[1] : "");
	struct Sass_Context *context = sass_file_context_get_context(file);
	int status = sass_compile_file_context(file);

	puts(status == 0 ? sass_context_get_output_string(context)
	                 : sass_context_get_error_message(context));
	sass_delete_file_context(file);
	return status;
}
