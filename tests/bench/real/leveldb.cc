/* SPDX-License-Identifier: MIT */
/* What leveldb runs while its registers are compared, for programs.sh: a database in memory. */
#include "helpers/memenv/memenv.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"

#include <cstdio>
#include <stdexcept>
#include <string>

using namespace leveldb;

static int measure_or_throw(int size)
{
	std::string text(size, 'x');

	if (size % 3 == 0)
		throw std::runtime_error(text);
	return (int)text.size();
}

static int write_batches(DB *db)
{
	int sum = 0;

	for (int i = 0; i < 60; i++) {
		WriteBatch batch;
		for (int j = 0; j < 5; j++)
			batch.Put(std::to_string(i * 7919 % 1000 + j), std::string(100, 'a' + j));
		batch.Delete(std::to_string(i));
		db->Write(WriteOptions(), &batch);
		try {
			sum += measure_or_throw(i);
		} catch (std::exception &) {
			sum++;
		}
	}
	return sum;
}

static int read_back(DB *db)
{
	Iterator *at = db->NewIterator(ReadOptions());
	std::string value;
	int sum = 0;

	for (at->SeekToFirst(); at->Valid(); at->Next())
		sum += (int)at->value().size();
	for (at->SeekToLast(); at->Valid(); at->Prev())
		sum++;
	delete at;
	for (int i = 0; i < 50; i++)
		sum += db->Get(ReadOptions(), std::to_string(i * 31), &value).ok();
	db->GetProperty("leveldb.stats", &value);
	return sum;
}

int main()
{
	Options options;
	DB *db;

	options.env = NewMemEnv(Env::Default());
	options.create_if_missing = true;
	options.write_buffer_size = 65536;
	options.filter_policy = NewBloomFilterPolicy(10);
	options.block_cache = NewLRUCache(65536);
	if (!DB::Open(options, "/db", &db).ok())
		return 1;
	int sum = write_batches(db);
	db->CompactRange(nullptr, nullptr);
	sum += read_back(db);
	delete db;
	std::printf("%d\n", sum);
}
