/* SPDX-License-Identifier: MIT */
/* Keeps the session of each debugger, by its number. */
#include "session.h"

#include <map>
#include <mutex>

/*
 * A debugger that loads the plugin once more goes on with the session that it has.  LLDB's callbacks get
 * the number of a debugger, because nothing reports when it is gone.
 */
static struct session_list {
	std::mutex lock;
	std::map<lldb::user_id_t, std::weak_ptr<lldb_session>> of_debugger;

	/* LLDB lets go of commands, and of the sessions that they hold, in some versions only; files of captures go in all. */
	~session_list()
	{
		for (auto &entry : of_debugger)
			if (std::shared_ptr<lldb_session> session = entry.second.lock())
				captures_finish(&session->captures);
	}
} sessions;

std::shared_ptr<lldb_session> find_lldb_session(lldb::user_id_t debugger)
{
	std::lock_guard<std::mutex> guard(sessions.lock);

	return sessions.of_debugger[debugger].lock();
}

void keep_lldb_session(lldb::user_id_t debugger, const std::shared_ptr<lldb_session> &session)
{
	std::lock_guard<std::mutex> guard(sessions.lock);

	sessions.of_debugger[debugger] = session;
}
