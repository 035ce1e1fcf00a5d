;; One trap of every sort, each behind an export.
(module
  (memory (export "memory") 1)
  (table 1 funcref)
  (global $zero (mut i32) (i32.const 0))
  (func (export "divide") (result i32)
    (i32.div_u (i32.const 1) (global.get $zero)))
  (func (export "bounds") (result i32)
    (i32.load (i32.const 0x7fffffff)))
  (func (export "unreachable") (unreachable))
  (func (export "indirect") (call_indirect (param) (global.get $zero)))
  (func $deep (export "deep") (result i32)
    ;; two calls, so that no compiler makes a loop of it
    (i32.rotl (i32.mul (call $deep) (i32.const 3)) (call $deep))))
