// SPDX-License-Identifier: GPL-2.0-only
/*
 * system-recorder: the process of perf wasm record --system. It stays for as
 * long as anything is recorded, so it is linked with little and keeps little:
 * beside perf with --beside, else in the place of the command that started it,
 * with a command of its own behind "--".
 */
#include "recorder-impl.h"

int main(int argc, char **argv)
{
	struct recorder r = { 0 };
	int status;

	recorder_opts_init(&r.o, argc, argv);
	status = recorder_run(&r);
	recorder_opts_release(&r.o);
	return status;
}
