// The order in which results are listed does not change the peak.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="alignment=1" -o /dev/null | FileCheck %s
// CHECK: memory of 'forwards': live peak 6 bytes
// CHECK: memory of 'backwards': live peak 6 bytes
func.func @forwards(%x: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {
  %a = "t.f"(%x) : (tensor<2xi8>) -> tensor<2xi8>
  %b = "t.f"(%x) : (tensor<2xi8>) -> tensor<2xi8>
  return %a, %b : tensor<2xi8>, tensor<2xi8>
}
func.func @backwards(%x: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {
  %a = "t.f"(%x) : (tensor<2xi8>) -> tensor<2xi8>
  %b = "t.f"(%x) : (tensor<2xi8>) -> tensor<2xi8>
  return %b, %a : tensor<2xi8>, tensor<2xi8>
}
