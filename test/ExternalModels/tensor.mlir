// Reshapes, casts and slices are views of their source's storage; destinations and splats belong to their readers; the rest moves
// data without FLOPs.
// RUN: ringi-opt %s --ringi-print-memory="function=views alignment=1" -o /dev/null | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-print-memory{function=views alignment=1})' -o /dev/null | FileCheck %s
// RUN: ringi-opt %s --ringi-print-cost=function=moves -o /dev/null | FileCheck %s --check-prefix=MOVES
// RUN: ringi-opt %s --ringi-print-memory="function=inserts alignment=1" -o /dev/null | FileCheck %s --check-prefix=INSERTS
// RUN: ringi-opt %s --ringi-print-memory="function=returned alignment=1" -o /dev/null | FileCheck %s --check-prefix=RETURNED
// RUN: not ringi-opt %s --ringi-print-memory="function=dynamic" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: ringi-opt %s --ringi-print-memory="function=bounded alignment=1" -o /dev/null | FileCheck %s --check-prefix=BOUNDED

// 48 bytes of %t are alive until the last of five views of it is read (cases.md 4): 48 + 48 for the argument, and 48 for %t.
// CHECK: memory of 'views': live peak 144 bytes at tanh.1
// CHECK: exp.0 forward 96
// CHECK: tanh.1 forward 144
func.func @views(%x: tensor<12xf32>) -> (tensor<12xf32>, tensor<2xf32>) {
  %t = math.exp %x : tensor<12xf32>
  %a = tensor.expand_shape %t [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  %c = tensor.cast %b : tensor<12xf32> to tensor<?xf32>
  %d = tensor.extract_slice %c[4] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %e = tensor.bitcast %b : tensor<12xf32> to tensor<12xi32>
  %s = math.tanh %b : tensor<12xf32>
  return %s, %d : tensor<12xf32>, tensor<2xf32>
}

// MOVES: {{^ *}}pad.0 elementwise 0.0{{0*}}e+00 FLOPs 1.12{{0*}}e+02 bytes
// MOVES: {{^ *}}concat.1 elementwise 0.0{{0*}}e+00 FLOPs 1.92{{0*}}e+02 bytes
// MOVES: {{^ *}}extract.2 other 0.0{{0*}}e+00 FLOPs 0.0{{0*}}e+00 bytes
func.func @moves(%x: tensor<12xf32>) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 1 : index
  %0 = tensor.pad %x low[2] high[2] {
  ^bb0(%k: index):
    tensor.yield %zero : f32
  } : tensor<12xf32> to tensor<16xf32>
  %1 = tensor.concat dim(0) %x, %x : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  %2 = tensor.extract %x[%i] : tensor<12xf32>
  return
}

// Parts written one after the other into one destination: 64 bytes, not 64 for each.
// INSERTS: memory of 'inserts': live peak 96 bytes
func.func @inserts(%x: tensor<8xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = tensor.insert_slice %x into %e[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %1 = tensor.insert_slice %x into %0[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %1 : tensor<16xf32>
}

// What is returned is somebody's to store: 64 bytes of the splat beside the argument and the sum.
// RETURNED: memory of 'returned': live peak 192 bytes
func.func @returned(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %c = arith.constant 1.0 : f32
  %s = tensor.splat %c : tensor<16xf32>
  %0 = arith.addf %x, %s : tensor<16xf32>
  return %0, %s : tensor<16xf32>, tensor<16xf32>
}

// A dynamic shape is refused with the place and the attribute that bounds it (cases.md 39).
// DYNAMIC: error: the bytes of {{.*}} of type 'tensor<?xf32>' are not known; give its largest size as 'ringi.bytes = <bytes>'
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// BOUNDED: memory of 'bounded': live peak 200 bytes
func.func @bounded(%x: tensor<?xf32> {ringi.bytes = 100}) -> tensor<?xf32> {
  %0 = math.exp %x {ringi.bytes = 100} : tensor<?xf32>
  return %0 : tensor<?xf32>
}
