// Writes small ONNX models, with only the part of onnx.proto3 that tests need.
import protobuf from 'protobufjs'

const proto = `syntax="proto3";package onnx;
message ModelProto{int64 ir_version=1;repeated OperatorSetIdProto opset_import=8;string producer_name=2;GraphProto graph=7;}
message OperatorSetIdProto{string domain=1;int64 version=2;}
message GraphProto{repeated NodeProto node=1;string name=2;repeated TensorProto initializer=5;repeated ValueInfoProto input=11;repeated ValueInfoProto output=12;}
message NodeProto{repeated string input=1;repeated string output=2;string name=3;string op_type=4;repeated AttributeProto attribute=5;}
message AttributeProto{string name=1;int32 type=20;float f=2;int64 i=3;repeated int64 ints=8;}
message TensorProto{repeated int64 dims=1;int32 data_type=2;string name=8;bytes raw_data=9;}
message ValueInfoProto{string name=1;TypeProto type=2;}
message TypeProto{Tensor tensor_type=1;}
message Tensor{int32 elem_type=1;TensorShapeProto shape=2;}
message TensorShapeProto{repeated Dimension dim=1;}
message Dimension{oneof value{int64 dim_value=1;string dim_param=2;}}`
const modelType = protobuf.parse(proto, { keepCase: true }).root.lookupType('onnx.ModelProto')

const FLOAT = 1
const INT64 = 7

/** Name, type and shape of an input or output; a name in a shape stands for any size. */
export type Value = [name: string, type: 'float' | 'int64', dims: (number | string)[]]

export const floats = (name: string, dims: number[], values: Iterable<number>) => ({
  ...{ name, dims, data_type: FLOAT },
  raw_data: new Uint8Array(Float32Array.from(values).buffer),
})
export const integers = (name: string, dims: number[], values: number[]) => ({
  ...{ name, dims, data_type: INT64 },
  raw_data: new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer),
})

export const node = (
  op_type: string,
  input: string[],
  output: string,
  attributes: Record<string, number | number[]> = {},
) => ({
  ...{ op_type, input, output: [output], name: output },
  attribute: Object.entries(attributes).map(([name, value]) =>
    Array.isArray(value) ? { name, type: INT64, ints: value } : { name, type: 2, i: value },
  ),
})

const valueInfo = ([name, type, dims]: Value) => ({
  name,
  type: {
    tensor_type: {
      elem_type: type === 'float' ? FLOAT : INT64,
      shape: { dim: dims.map((dim) => (typeof dim === 'number' ? { dim_value: dim } : { dim_param: dim })) },
    },
  },
})

/** Encodes a model. */
export function writeOnnx(graph: {
  inputs: Value[]
  outputs: Value[]
  constants: ReturnType<typeof floats>[]
  nodes: ReturnType<typeof node>[]
}): Uint8Array {
  const message = modelType.fromObject({
    ir_version: 8,
    producer_name: 'fixture',
    opset_import: [{ domain: '', version: 17 }],
    graph: {
      name: 'g',
      node: graph.nodes,
      initializer: graph.constants,
      input: graph.inputs.map(valueInfo),
      output: graph.outputs.map(valueInfo),
    },
  })
  return modelType.encode(message).finish()
}
