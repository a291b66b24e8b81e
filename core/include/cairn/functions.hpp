/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf for C++17, with the rules of <cairn.hpp>.
 *
 *	const auto functions = cairn::functions::open("a.out");
 *	std::cout << functions.write_gsym("a.gsym").functions << " functions\n";
 */
#ifndef CAIRN_FUNCTIONS_HPP
#define CAIRN_FUNCTIONS_HPP

#include <cairn.hpp>
#include <cairn/dwarf.h>
#include <cairn/functions.h>

#include <utility>

namespace cairn
{

/* A program's functions, from any file that describes them. */
class functions : public owner<cairn_functions, cairn_functions_close>
{
	std::shared_ptr<const std::string> path_; /* borrowed by the object */

	functions(owner opened, std::shared_ptr<const std::string> path)
	    : owner(std::move(opened)), path_(std::move(path))
	{
	}
	template <class Summary, class Write, class Options>
	Summary write_with(Write function, const std::string &path, const Options &options) const
	{
		cairn_output output = CAIRN_SIZED(cairn_output);
		Summary summary = CAIRN_SIZED(Summary);
		cairn_error error;
		output.path = path.c_str();
		check(function(get(), &options, &output, &summary, &error), error);
		return summary;
	}

      public:
	/* Open a file. Strings and bytes in the options are borrowed until the object is freed. */
	static functions open(const std::string &path,
	                      const cairn_functions_options &options = CAIRN_FUNCTIONS_OPTIONS)
	{
		auto kept = std::make_shared<const std::string>(path);
		return { opened<owner>(cairn_functions_open, kept->c_str(), &options), kept };
	}
	std::string_view build_id() const
	{
		return view(cairn_functions_build_id(get()));
	}
	cairn_gsym_summary write_gsym(const std::string &path,
	                              const cairn_gsym_options &options = CAIRN_GSYM_OPTIONS) const
	{
		return write_with<cairn_gsym_summary>(cairn_functions_write_gsym, path, options);
	}
	cairn_symbfile_summary write_symbfiles(
		const std::string &path,
		const cairn_symbfile_options &options = CAIRN_SYMBFILE_OPTIONS) const
	{
		return write_with<cairn_symbfile_summary>(cairn_functions_write_symbfiles, path,
		                                          options);
	}
	cairn_symbol_object_summary write_object(const std::string &path,
	                                         const cairn_symbol_object_options &options) const
	{
		return write_with<cairn_symbol_object_summary>(cairn_functions_write_object, path,
		                                               options);
	}
};

} // namespace cairn

#endif
