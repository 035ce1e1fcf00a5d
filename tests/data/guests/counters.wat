;; Counters as an instrumented module has them, and what only looks like one.
(module
  (memory (export "memory") 1)
  (global $a (export "pw:count 1f") (mut i64) (i64.const 0))
  (global $b (export "pw:count 2f") (mut i64) (i64.const 0))
  (global (export "pw:count 3f") i64 (i64.const 4))
  (global (export "pw:count 4f") (mut i32) (i32.const 4))
  (global (export "other") (mut i64) (i64.const 5))
  (func (export "_start")
    (global.set $a (i64.const 7))
    (global.set $b (i64.const -1)))
  (func (export "trap") (global.set $a (i64.const 3)) unreachable))
