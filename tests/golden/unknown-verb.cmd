cairn 'no such
verb'
