/* SPDX-License-Identifier: MIT */
/* find_symbols PROGRAM: prints which file serves for the symbols of a program, as debuggers find it. */
#include <cairn.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_program program;
	struct cairn_symbols *file;
	struct cairn_error error;

	if (argc != 2 || cairn_program_read(argv[1], &program, NULL) != CAIRN_OK)
		return 2;
	options.build_id = (struct cairn_bytes){ program.build_id, program.build_id_size };
	if (cairn_symbols_search(argv[1], NULL, &options, &file, &error) != CAIRN_OK) {
		printf("%s\n", error.text);
		return 1;
	}
	printf("%s\n", cairn_symbols_path(file));
	cairn_symbols_free(file);
	return 0;
}
