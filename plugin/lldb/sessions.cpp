/* SPDX-License-Identifier: MIT */
/* Keeps the session of each debugger, by its number. */
#include "session.h"

#include <map>
#include <mutex>

/*
 * The sessions. A debugger that loads the plugin again keeps its session. LLDB's callbacks get the
 * number of a debugger instead of a pointer, because nothing reports that a debugger has ended.
 */
static struct session_list {
	std::mutex lock;
	std::map<lldb::user_id_t, std::weak_ptr<lldb_session>> of_debugger;

	/*
	 * Only some versions of LLDB free the commands, and the sessions that they hold, at exit.
	 * Remove the files of captures in all versions.
	 */
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
