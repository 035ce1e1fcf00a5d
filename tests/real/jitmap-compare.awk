# SPDX-License-Identifier: GPL-2.0-only
# Reads lines "SAMPLE<tab>OUR NAME<tab>IP NAME (FILE)", one a sample, and
# counts by name what we and perf found in files whose path matches `pattern`.
# Fails when the counts of a name differ by more than 0.5 % of all.
{
	theirs = $3
	sub(/^ */, "", theirs)
	ip = theirs
	sub(/ .*/, "", ip)
	if (index($1, ip) == 0) {
		print name ": the samples are not the same: " $0
		exit 1
	}
	sub(/^[^ ]* */, "", theirs)
	is_code = theirs ~ "\\([^()]*" pattern "[^()]*\\)$"
	# a map also names functions that lie in the program's own file, whose
	# symbols perf takes
	if (!is_code && pattern ~ /map$/ && theirs ~ / \(\/[^()]*\)$/)
		next
	sub(/ *\([^()]*\)$/, "", theirs)
	if (!is_code || theirs == "[unknown]")
		theirs = "-"
	ours = $2
	if (ours ~ / \(early\)$/) {
		early++
		ours = "-"
	}
	if (ours == "-" && theirs == "-")
		next
	total++
	same += ours == theirs
	our[ours]++
	their[theirs]++
	seen[ours] = seen[theirs] = 1
}
END {
	printf "%s: %d samples in code, %d of the same name, %d early\n", name,
		total, same, early
	if (total < 100)
		bad = 1
	for (s in seen) {
		off = our[s] - their[s]
		if (off < 0)
			off = -off
		if (off > 0.005 * total) {
			printf "%s: %s: %d samples of ours, %d of perf\n", name, s,
				our[s], their[s]
			bad = 1
		}
	}
	exit bad
}
