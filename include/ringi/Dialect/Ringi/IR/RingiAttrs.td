//===- RingiAttrs.td - Attributes of the ringi dialect -----*- tablegen -*-===//
//
// Part of Ringi. How an argument is initialised, and the device that costs are
// predicted for.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ATTRS
#define RINGI_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "ringi/Dialect/Ringi/IR/RingiDialect.td"

class Ringi_Attr<string name, string attrMnemonic> : AttrDef<Ringi_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Ringi_InitKind : I32EnumAttr<"InitKind", "how an argument is filled", [
    I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Ones", 1, "ones">,
    I32EnumAttrCase<"Normal", 2, "normal">, I32EnumAttrCase<"Uniform", 3, "uniform">,
    I32EnumAttrCase<"Tokens", 4, "tokens">, I32EnumAttrCase<"Constant", 5, "constant">]> {
  let cppNamespace = "::ringi";
}

def Ringi_InitAttr : Ringi_Attr<"Init", "init"> {
  let summary = "how the runtime fills an argument";
  let description = [{
    `zeros` and `ones` take no number. `normal` takes the standard deviation, `uniform` the
    half width of the interval around 0, `tokens` the vocabulary size (an integer
    tensor with values in `[0, size)`), `constant` the value.

    Example: `#ringi.init<normal, 2.0e-2>`, `#ringi.init<zeros>`.
  }];
  let parameters = (ins EnumParameter<Ringi_InitKind>:$kind,
                        OptionalParameter<"::mlir::FloatAttr">:$scale);
  let assemblyFormat = "`<` $kind (`,` $scale^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of the attribute; 0 when it has none.
    double getScaleValue() const;
  }];
}

def Ringi_DeviceAttr : Ringi_Attr<"Device", "device"> {
  let summary = "the device that costs are predicted for";
  let description = [{
    Peak FLOP/s by element type, memory bandwidth in bytes per second, launch
    overhead of one kernel in seconds and memory in bytes. The short form names a
    built-in entry (`a100`, `h100`, `h200`, `b200`, `rtx4090`, `generic-cpu`); the long form states
    all of it.

    Example: `#ringi.device<"a100">`,
    `#ringi.device<"mine", flops = {bf16 = 1.0e14, f32 = 1.0e13}, bandwidth = 1.0e12, launch = 4.0e-6, memory = 16000000000>`.
  }];
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"::mlir::DictionaryAttr">:$flops,
                        OptionalParameter<"::mlir::FloatAttr">:$bandwidth,
                        OptionalParameter<"::mlir::FloatAttr">:$launch,
                        OptionalParameter<"::mlir::IntegerAttr">:$memory);
  let assemblyFormat = [{
    `<` $name (`,` `flops` `=` $flops^ `,` `bandwidth` `=` $bandwidth `,` `launch` `=` $launch `,` `memory` `=` $memory)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The numbers, from the attribute itself or the built-in entry.
    ::ringi::DeviceSpec getSpec() const;
    /// The long form of `spec`.
    static DeviceAttr get(::mlir::MLIRContext *context, const ::ringi::DeviceSpec &spec);
  }];
}

#endif // RINGI_ATTRS
