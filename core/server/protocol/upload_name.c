/* SPDX-License-Identifier: MIT */
/* Derives names of uploads, which keep parts of different uploads of one file apart. */
#include "upload.h"

#include "base/encoding.h"
#include "base/hash.h"

static void set_name(struct upload *upload, struct sha256 *hash)
{
	uint8_t digest[SHA256_SIZE];

	sha256_finish(hash, digest);
	hex_encode((struct cairn_bytes){ digest, (UPLOAD_NAME_SIZE - 1) / 2 }, upload->name);
}

void upload_set_name(struct upload *upload, struct cairn_bytes whole, uint64_t part_size)
{
	struct sha256 hash = sha256_open();
	uint8_t size[8];

	for (unsigned i = 0; i < sizeof(size); i++)
		size[i] = (uint8_t)(part_size >> 8 * i);
	sha256_put(&hash, (struct cairn_bytes){ size, sizeof(size) });
	sha256_put(&hash, whole);
	set_name(upload, &hash);
}

void upload_set_sender(struct upload *upload, struct cairn_bytes address)
{
	struct sha256 hash = sha256_open();

	sha256_put(&hash, address);
	set_name(upload, &hash);
}
