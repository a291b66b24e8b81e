#!/bin/sh
# SPDX-License-Identifier: MIT
# A page in a browser asks `cairn serve` for names, from another origin, as the Firefox Profiler does: with a preflight, because the body is JSON.
. "$(dirname "$0")/net.sh"
. "$(dirname "$0")/serving.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'no chromium on this machine'

begin --listen 127.0.0.1:0 --file "$work/a"
debug=$(echo "$build" | sed -E 's/^(..)(..)(..)(..)(..)(..)(..)(..)(.{16}).*/\4\3\2\1\6\5\8\7\9/' | tr a-f A-F)0
cat >"$work/page.html" <<END
<p id=names>nothing</p>
<script>
const show = text => { document.getElementById('names').textContent = text };
fetch('http://$at/symbolicate/v5', { method: 'POST', headers: { 'Content-Type': 'application/json' },
	body: JSON.stringify({ jobs: [{ memoryMap: [['a', '$debug']], stacks: [[[0, $((0x$outer))]]] }], version: 5 }) })
	.then(answer => answer.json())
	.then(answer => { const frame = answer.results[0].stacks[0][0]; show(frame.inlines[0].function + ' < ' + frame.function) })
	.catch(error => show('' + error));
</script>
END
# as root it needs --no-sandbox; the rest keeps it from the network and from the user's files
HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update \
	--no-first-run --user-data-dir="$work/profile" --virtual-time-budget=20000 --dump-dom "file://$work/page.html" >"$work/dom" 2>"$work/err"
grep -q '<p id="names">inner &lt; outer</p>' "$work/dom" || fail "the page has $(grep names "$work/dom"): $(tail -n 3 "$work/err")"
end TERM "$service" || fail "SIGTERM: the service exits with $?"
says "$work/service.log" '204 OPTIONS /symbolicate/v5'
says "$work/service.log" '200 POST /symbolicate/v5'
exit $failed
