;; Exceptions in their first form: try, catch, delegate, rethrow.
(module
  (tag $code (param i32 f32))
  (tag $plain)
  (func $fail (param i32)
    (throw $code (local.get 0) (f32.const 0.5)))
  (func (export "guard") (param i32) (result i32)
    (try (result i32)
      (do
        (try (do (call $fail (local.get 0))) (delegate 0))
        (i32.const 0))
      (catch $code (drop))
      (catch $plain
        (block (br_if 1 (i32.const 9) (local.get 0)) (drop))
        (rethrow 0))
      (catch_all (i32.const -1)))))
