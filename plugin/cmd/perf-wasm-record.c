// SPDX-License-Identifier: GPL-2.0-only
/* perf-wasm-record: record alone, without the libraries that the others want. */
#include "cmd.h"

int main(int argc, char **argv)
{
	cmd_begin();
	return cmd_record(argc - 1, argv + 1);
}
