/* SPDX-License-Identifier: MIT */
/* Shows the core of a capture in a target of its own, next to the one being debugged. */
#include "session.h"

/*
 * Return the number of the capture that the target shows, or 0. A target has no permanent number:
 * its index changes when another target is deleted. So captures are numbered here, counting up.
 */
static uint64_t find_number(lldb_session *s, const lldb::SBTarget &target)
{
	for (auto &view : s->views)
		if (view.second.shown == target)
			return view.first;
	return 0;
}

/*
 * Create a target for the capture's program. LLDB finds the program by itself only if the core
 * names it.
 */
static lldb::SBTarget make_target(lldb_session *s, const struct cairn_capture_summary *summary,
                                  lldb::SBError &error)
{
	return s->lldb.CreateTarget(summary->program, nullptr, nullptr, false, error);
}

enum answer show_lldb_capture(struct command_call *call, struct shown_capture *shown)
{
	lldb_session *s = get_lldb_session(call);
	struct cairn_capture_summary summary = {};
	lldb::SBError error;

	summary.size = sizeof(summary);
	cairn_capture_describe(shown->capture, &summary);
	lldb::SBTarget before = s->lldb.GetSelectedTarget();
	lldb::SBTarget target = make_target(s, &summary, error);
	if (!target.IsValid() || !target.LoadCore(summary.core, error).IsValid()) {
		if (target.IsValid())
			s->lldb.DeleteTarget(target);
		reply_error(call, "LLDB did not open the core%s%s", error.GetCString() ? ": " : "",
		            error.GetCString() ? error.GetCString() : "");
		return ANSWER_FAILED;
	}
	shown->before = find_number(s, before);
	shown->view = ++s->last_view;
	shown->is_shown = true;
	s->views[shown->view] = { target, before };
	s->lldb.SetSelectedTarget(target);
	return ANSWER_READY;
}

enum answer find_lldb_view(struct command_call *call, uint64_t *view)
{
	lldb_session *s = get_lldb_session(call);

	*view = find_number(s, s->lldb.GetSelectedTarget());
	return ANSWER_READY;
}

/*
 * Remove the target of a capture, and select the previous target. The user may have deleted either.
 */
enum answer hide_lldb_capture(struct command_call *call, const struct shown_capture *shown)
{
	lldb_session *s = get_lldb_session(call);
	capture_view view = s->views[shown->view];
	const bool is_selected = view.shown == s->lldb.GetSelectedTarget();

	s->views.erase(shown->view);
	if (!view.shown.IsValid())
		return ANSWER_READY;
	s->target.Clear();
	if (is_selected && view.before.IsValid())
		s->lldb.SetSelectedTarget(view.before);
	s->lldb.DeleteTarget(view.shown);
	return ANSWER_READY;
}
