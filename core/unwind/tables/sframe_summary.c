/* SPDX-License-Identifier: MIT */
/* Reports the address, size and versions of the SFrame tables of the module at a pc. */
#include "unwind_tables.h"

#include "sframe_rules.h"

bool cairn_space_sframe_summary(struct cairn_space *space, uint64_t pc,
                                struct cairn_sframe_summary *tables)
{
	struct module *module = space_query(space, pc);
	const struct cairn_rules *rules = module ? module_rules(space, module) : NULL;

	if (!rules || rules->table_count == 0)
		return false;
	*tables = (struct cairn_sframe_summary){ .low = rules->address + module->bias,
		                                 .count = rules->table_count };
	for (size_t i = 0; i < rules->table_count; i++) {
		const struct sframe_table *table = &rules->tables[i];
		tables->functions += table->functions;
		tables->size += table->bytes.size;
		tables->versions |= 1u << table->version;
	}
	return true;
}
