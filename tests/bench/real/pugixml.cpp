/* SPDX-License-Identifier: MIT */
/* pugixml frees a tree of elements in elements by recursion: stop_here() is called where it is deepest. */
#include "pugixml.hpp"

#include <cstdlib>
#include <string>

static volatile int freed;

extern "C" __attribute__((noinline)) void stop_here(void)
{
	freed = freed + 1;
}

static void give_back(void *memory)
{
	stop_here();
	std::free(memory);
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? std::atoi(argv[1]) : 10;
	pugi::xml_document document;
	std::string text;

	pugi::set_memory_management_functions(std::malloc, give_back);
	for (int i = 0; i < depth; i++)
		text += "<a>";
	for (int i = 0; i < depth; i++)
		text += "</a>";
	document.load_string(text.c_str());
	document.remove_child("a");
	return 0;
}
