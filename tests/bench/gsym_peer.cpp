/* SPDX-License-Identifier: MIT */
/* Lookups in GSYM files by LLVM's reader, which the benchmark compares with ours. */
#include "gsym_peer.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/DebugInfo/GSYM/GsymReader.h>
#include <llvm/DebugInfo/GSYM/LookupResult.h>

using llvm::gsym::GsymReader;

void *gsym_peer_open(const char *path)
{
	auto reader = GsymReader::openFile(path);
	if (!reader) {
		llvm::consumeError(reader.takeError());
		return nullptr;
	}
	return new GsymReader(std::move(*reader));
}

void gsym_peer_close(void *peer)
{
	delete static_cast<GsymReader *>(peer);
}

size_t gsym_peer_find(void *peer, uint64_t va, uint64_t *sum)
{
	auto result = static_cast<GsymReader *>(peer)->lookup(va);
	if (!result) {
		llvm::consumeError(result.takeError());
		return 0;
	}
	for (const auto &l : result->Locations)
		*sum += l.Line + l.Offset + l.Name.size() + l.Dir.size() + l.Base.size();
	return result->Locations.size();
}

const char *gsym_peer_name(void)
{
	return "LLVM " LLVM_VERSION_STRING;
}
