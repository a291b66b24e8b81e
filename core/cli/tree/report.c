/* SPDX-License-Identifier: MIT */
/* Says where the output of a file of a tree is, and reports what became of it: each file as JSON, all of them as counts. */
#include "tree.h"

#include "os/module/symbol_path.h"
#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

static const char *name_state(const struct tree *tree, enum tree_state state)
{
	static const char *const states[TREE_STATES] = {
		[TREE_MADE] = "made", [TREE_KEPT] = "kept", [TREE_FAILED] = "failed"
	};

	return state == TREE_EMPTY ? tree->verb->empty_key : states[state];
}

bool tree_output(const struct tree *tree, const struct tree_file *file, char *path, size_t room)
{
	const struct cairn_bytes build_id = { file->build_id, file->size };

	return build_id_path(path, room, tree->store, strlen(tree->store), build_id,
	                     tree->verb->ending);
}

void tree_report(struct tree *tree, const struct tree_file *file, enum tree_state state)
{
	char path[4096];

	tree->count[state]++;
	if (!tree->as_json)
		return;
	json_object(&tree->json, NULL);
	json_string(&tree->json, "input", file->path);
	json_hex(&tree->json, "build_id", (struct cairn_bytes){ file->build_id, file->size });
	json_string(&tree->json, "state", name_state(tree, state));
	if (state <= TREE_KEPT && tree_output(tree, file, path, sizeof(path)))
		json_string(&tree->json, "output", path);
	json_end(&tree->json);
}

void tree_report_counts(struct tree *tree)
{
	if (tree->as_json) {
		json_object(&tree->json, NULL);
		json_number(&tree->json, "files", tree->seen);
		json_number(&tree->json, "builds", tree->files);
		for (unsigned i = 0; i < TREE_STATES; i++)
			json_number(&tree->json, name_state(tree, (enum tree_state)i),
			            tree->count[i]);
		json_number(&tree->json, "without_build_id", tree->unnamed);
		json_number(&tree->json, "unreadable", tree->unreadable);
		json_end(&tree->json);
		return;
	}
	if (tree->quiet)
		return;
	print_string(stdout, tree->store);
	printf(": %zu builds in %" PRIu64 " files of ", tree->files, tree->seen);
	print_string(stdout, tree->folder);
	printf("\n  %" PRIu64 " made, %" PRIu64 " were there, %" PRIu64 " %s, %" PRIu64 " failed\n",
	       tree->count[TREE_MADE], tree->count[TREE_KEPT], tree->count[TREE_EMPTY],
	       tree->verb->empty, tree->count[TREE_FAILED]);
	if (tree->unnamed)
		printf("  %" PRIu64 " ELF files without a build ID\n", tree->unnamed);
	if (tree->unreadable)
		printf("  %" PRIu64 " files and folders could not be read\n", tree->unreadable);
}
