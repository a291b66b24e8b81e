cairn serve --help
cairn serve
cairn serve --unix a --listen b
cairn serve --unix a x
cairn serve --unix a --workers 0
cairn serve --unix a --deadline 0
cairn serve --unix a --max-memory 1
cairn serve --unix a --quota 5
cairn serve --unix a --store b --max-part 0
