//===- RingiDialect.td - The ringi dialect -----------------*- tablegen -*-===//
//
// Part of Ringi. Defines the dialect and maps its files:
//
//   RingiDialect.td       this file
//   RingiAttrs.td         #ringi.init, #ringi.device and the enums of argument attributes
//   RingiTypes.td         !ringi.saved
//   RingiOpBase.td        what all ops share: tensor constraints, base classes
//   RingiStructureOps.td  block, yield, save, load, recompute, detach, no_grad
//   RingiForwardOps.td    the ops of forward models
//   RingiShapeOps.td      views, copies and reductions that change the shape
//   RingiBackwardOps.td   the derivatives of the forward ops
//   RingiUpdateOps.td     sgd, momentum, adamw
//
// docs/operations.md is the contract of every compute op; docs/dialect.md says why the dialect is as it is.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_DIALECT
#define RINGI_DIALECT

include "mlir/IR/DialectBase.td"

def Ringi_Dialect : Dialect {
  let name = "ringi";
  let cppNamespace = "::ringi";
  let summary = "Training steps whose activations are planned";
  let description = [{
    Ops of real training steps on builtin ranked tensors with static shapes, in
    value semantics: nothing aliases until memory is assigned. A forward function
    names the role of each argument by discardable attributes, groups its ops in
    `ringi.block`s and returns one scalar loss; `--ringi-build-step` turns it into a
    training step.

    Discardable attributes of function arguments:

    | attribute | value | meaning |
    |---|---|---|
    | `ringi.role` | `parameter`, `input`, `target`, `constant_state`, `seed`, `step`, `optimizer_state`, `learning_rate` | what the argument is to the step |
    | `ringi.name` | string | the name in reports, programs and checkpoints |
    | `ringi.init` | `#ringi.init<...>` | how the runtime fills it when no file is given |
    | `ringi.frozen` | unit | a parameter that is not trained |

    Results of a step carry `ringi.role` (`loss`, `updated_parameter`, `updated_state`,
    `gradient`, `output`), `ringi.name` and `ringi.updates`, the name of the argument that
    the result replaces. Ops of a step carry `ringi.phase` (`forward`, `backward`,
    `optimizer`) and `ringi.block`, the path of blocks they came from. The step function
    itself carries the unit attribute `ringi.step`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerStructureOps();
    void registerForwardOps();
    void registerShapeOps();
    void registerBackwardOps();
    void registerUpdateOps();
  }];
}

#endif // RINGI_DIALECT
