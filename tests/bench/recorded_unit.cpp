/* SPDX-License-Identifier: MIT */
/* A unit with much debug information and deep stacks; its types are local, so that the linker keeps the code of each copy. */
#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace
{
struct key {
	unsigned value;
	bool operator<(const key &other) const
	{
		return value < other.value;
	}
};

struct hash {
	size_t operator()(const key &k) const
	{
		return k.value * 2654435761u;
	}
};

inline bool operator==(const key &a, const key &b)
{
	return a.value == b.value;
}

struct node {
	std::map<key, std::string> names;
	std::unordered_map<key, std::vector<key>, hash> edges;
	std::deque<std::optional<key>> queue;
	std::variant<key, std::string, std::set<key>> value;
};

unsigned mix(unsigned seed)
{
	return seed * 1103515245u + 12345u;
}

unsigned sort_keys(unsigned seed)
{
	std::vector<key> keys;
	for (unsigned i = 0; i < 300; i++)
		keys.push_back({ seed = mix(seed) });
	std::sort(keys.begin(), keys.end(), [](const key &a, const key &b) { return b < a; });
	std::stable_sort(keys.begin(), keys.end());
	return std::accumulate(keys.begin(), keys.end(), 0u,
	                       [](unsigned sum, const key &k) { return sum * 31 + k.value; });
}

unsigned fill_node(unsigned seed)
{
	node n;
	for (unsigned i = 0; i < 100; i++) {
		seed = mix(seed);
		n.names[key{ seed % 64 }] += std::to_string(seed % 1000);
		n.edges[key{ seed % 32 }].push_back({ seed });
		n.queue.push_back(key{ seed });
	}
	n.value = std::set<key>();
	for (const auto &k : n.queue)
		std::get<std::set<key>>(n.value).insert(*k);
	return seed + unsigned(n.names.size() + n.edges.size());
}

unsigned write_text(unsigned seed)
{
	std::ostringstream out;
	for (unsigned i = 0; i < 40; i++)
		out << (seed = mix(seed)) << ' ' << std::hex << i << '\n';
	return seed + unsigned(out.str().size());
}

unsigned match_text(unsigned seed)
{
	static const std::regex pattern("([a-z]+|[0-9]+)(:[0-9a-f]*)*(x|y)?");
	std::map<key, unsigned> found;
	for (unsigned i = 0; i < 4; i++) {
		const std::string text =
			std::to_string(seed = mix(seed)) + ":" + std::to_string(seed % 99);
		std::smatch match;
		if (std::regex_match(text, match, pattern))
			found[key{ unsigned(match.size()) }]++;
	}
	return seed + unsigned(found.size());
}

template <class F> unsigned call(F f, unsigned depth, unsigned seed);

unsigned descend(unsigned depth, unsigned seed)
{
	static const std::function<unsigned(unsigned)> leaves[] = { sort_keys, fill_node,
		                                                    write_text, match_text };

	if (depth == 0)
		return leaves[seed / 91 % 4](seed);
	return call([](unsigned d, unsigned s) { return descend(d, s); }, depth - 1, mix(seed)) + 1;
}

template <class F> unsigned call(F f, unsigned depth, unsigned seed)
{
	return f(depth, seed) ^ depth;
}
} // namespace

unsigned work(unsigned seed)
{
	return descend(seed / 7 % 12, seed);
}
