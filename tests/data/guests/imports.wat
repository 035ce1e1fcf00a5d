;; Wants functions that no host has by itself; an empty one must give zero.
(module
  (import "bench" "start" (func $start))
  (import "odd \22*/ name" "i64" (func $i64 (param i64 f32) (result i64)))
  (import "bench" "f64" (func $f64 (result f64)))
  (memory (export "memory") 1)
  (func (export "_start")
    (call $start)
    (if (i64.ne (call $i64 (i64.const 5) (f32.const 1)) (i64.const 0))
      (then (unreachable)))
    (if (f64.ne (call $f64) (f64.const 0)) (then (unreachable)))))
