//===- RingiUpdateOps.td - Optimizer updates ---------------*- tablegen -*-===//
//
// Part of Ringi. Updates always run in place: each result occupies the bytes of
// the operand that it replaces.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_UPDATE_OPS
#define RINGI_UPDATE_OPS

include "ringi/Dialect/Ringi/IR/RingiOpBase.td"

def Ringi_SgdOp : Ringi_ComputeOp<"sgd", "Optimizer", "{0, 0, true}",
    [Pure, AllTypesMatch<["param", "new_param"]>]> {
  let summary = "p -= lr * (g + wd * p)";
  let arguments = (ins Ringi_FloatTensor:$param, Ringi_FloatTensor:$grad, Ringi_StatScalar:$lr,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs Ringi_FloatTensor:$new_param);
  let assemblyFormat = "$param `,` $grad `,` $lr attr-dict `:` functional-type(operands, results)";
}

def Ringi_MomentumOp : Ringi_ComputeOp<"momentum", "Optimizer", "{0, 0, true}, {2, 1, true}",
    [Pure, AllTypesMatch<["param", "new_param"]>, AllTypesMatch<["buffer", "new_buffer"]>]> {
  let summary = "b = mu * b + g + wd * p; p -= lr * b";
  let description = "With `nesterov` the step is along g + wd * p + mu * b.";
  let arguments = (ins Ringi_FloatTensor:$param, Ringi_FloatTensor:$grad, Ringi_StatTensor:$buffer,
                       Ringi_StatScalar:$lr, F64Attr:$momentum,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$nesterov);
  let results = (outs Ringi_FloatTensor:$new_param, Ringi_StatTensor:$new_buffer);
  let assemblyFormat = "$param `,` $grad `,` $buffer `,` $lr attr-dict `:` functional-type(operands, results)";
}

def Ringi_AdamWOp : Ringi_ComputeOp<"adamw", "Optimizer",
    "{0, 0, true}, {2, 1, true}, {3, 2, true}, {6, 3, true}", [Pure, InferTypeOpAdaptor]> {
  let summary = "AdamW with decoupled weight decay and bias correction";
  let description = [{
    Steps count from 1. With a `master` copy in higher precision that copy is updated
    and rounded into the parameter.
  }];
  let arguments = (ins Ringi_FloatTensor:$param, Ringi_FloatTensor:$grad, Ringi_StatTensor:$m,
                       Ringi_StatTensor:$v, Ringi_IntScalar:$step, Ringi_StatScalar:$lr,
                       Optional<Ringi_StatTensor>:$master,
                       F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs Ringi_FloatTensor:$new_param, Ringi_StatTensor:$new_m, Ringi_StatTensor:$new_v,
                      Optional<Ringi_StatTensor>:$new_master);
  let assemblyFormat = [{
    $param `,` $grad `,` $m `,` $v `,` $step `,` $lr (`master` `(` $master^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // RINGI_UPDATE_OPS
