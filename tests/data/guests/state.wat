;; What a digest must see: memory, a global, a result and nothing else.
(module
  (memory (export "memory") 1)
  (global $count (export "count") (mut i64) (i64.const 0))
  (global $limit (export "limit") i32 (i32.const 3))
  (func (export "nothing"))
  (func (export "stores") (i32.store8 (i32.const 65535) (i32.const 1)))
  (func (export "counts") (global.set $count (i64.const 1)))
  (func (export "returns") (result i32) (i32.const 9)))
