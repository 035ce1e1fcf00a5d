;; Exits with a status; the code after it must not run.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (call $exit (i32.const 7)) (unreachable))
  (func (export "well") (call $exit (i32.const 0)) (unreachable)))
