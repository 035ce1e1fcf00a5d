# SPDX-License-Identifier: GPL-2.0-only
# Who wakes the tasks of wasm runtimes, and how long these then wait for a CPU.
#
# Reads sched:sched_wakeup and sched:sched_switch. Record with -a: a wake-up is
# an event of the task that wakes.
# Writes a line for each pair of waker and woken task: wake-ups, mean and
# longest wait in microseconds.
#
#   perf script -i perf.data -s wasm-wakers.pl [-- COMM]
#
# COMM, a regular expression, keeps to tasks of such names.

use 5.010000;
use strict;
use warnings;

my $wanted = @ARGV ? qr/$ARGV[0]/ : qr/^(?:host-)?(?:wasmtime|wasm2c|wasmer
	|wasmedge|wazero|iwasm|node|deno|d8|V8|jsc|bun|JITWorker|HeapHelper
	|JS\ Helper)/x;

my %since;	# tid -> [when, waker, its tid, comm]: woken, not yet running
my %pairs;	# "waker tid woken tid" -> [n, sum, longest]

sub sched::sched_wakeup
{
	my ($event_name, $context, $cpu, $secs, $nsecs, $waker_tid, $waker,
	    $callchain, $comm, $tid) = @_;

	return if $comm !~ $wanted || $since{$tid};
	# the idle task wakes nobody: an interrupt did, while it ran
	$waker = "(interrupt)" if $waker_tid == 0;
	$since{$tid} = [$secs * 1e9 + $nsecs, $waker, $waker_tid, $comm];
}

sub sched::sched_switch
{
	my ($event_name, $context, $cpu, $secs, $nsecs, $pid, $comm,
	    $callchain, $prev_comm, $prev_pid, $prev_prio, $prev_state,
	    $next_comm, $next_pid) = @_;
	my $w = delete $since{$next_pid} or return;
	my $wait = $secs * 1e9 + $nsecs - $w->[0];
	my $pair = $pairs{join "\t", $w->[1], $w->[2], $w->[3], $next_pid}
		//= [0, 0, 0];

	$pair->[0]++;
	$pair->[1] += $wait;
	$pair->[2] = $wait if $wait > $pair->[2];
}

# perf calls these whether or not they are there: for events without a function
# of their own, and for what an event's format says of names of values (which
# Perf::Trace::Core of perf's own scripts would keep).
sub trace_unhandled { }
sub process_event { }
sub define_flag_field { }
sub define_flag_value { }
sub define_symbolic_field { }
sub define_symbolic_value { }

sub trace_end
{
	printf "%-16s %7s  %-16s %7s  %8s  %10s  %10s\n", "waker", "tid",
	       "woken", "tid", "wake-ups", "mean us", "longest us";
	for my $key (sort { $pairs{$b}[0] <=> $pairs{$a}[0] || $a cmp $b }
		     keys %pairs) {
		my ($n, $sum, $longest) = @{$pairs{$key}};

		printf "%-16s %7d  %-16s %7d  %8d  %10.1f  %10.1f\n",
		       split(/\t/, $key), $n, $sum / $n / 1e3, $longest / 1e3;
	}
	print "# no such task was woken\n" if !%pairs;
}
