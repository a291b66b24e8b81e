cairn cache mend
