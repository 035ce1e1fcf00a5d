;; Names that would be C, were they let into C.
(module
  (memory (export "memory") 1)
  (func $*/int\20x\3b/* (export "*/\0a#error no\0a/*") (i32.store (i32.const 0) (i32.const 1)))
  (func (export "_start") (call $*/int\20x\3b/*)))
