/** A network in the ONNX format. Other fields of the model and its graph are kept as they are; those of nodes are dropped. */
interface OnnxFile {
  nodes: NetworkNode[]
  /** Floating-point constants by name. */
  constants: Map<string, Constant>
  encode(nodes: NetworkNode[]): Buffer
}

export interface NetworkNode {
  operator: string
  inputs: string[]
  outputs: string[]
  attributes: Buffer[]
}

export interface Constant {
  shape: number[]
  values: Float32Array
}

/** Field of a protobuf message. */
interface Field {
  number: number
  value: number | Buffer
}

const [VARINT, FIXED_64, BYTES, FIXED_32] = [0, 1, 2, 5] as const
// field numbers of ONNX
const GRAPH_OF_MODEL = 7
const NODE_OF_GRAPH = 1
const node = { input: 1, output: 2, operator: 4, attribute: 5 } as const
const attribute = { name: 1, float: 2, int: 3, tensor: 5, type: 20 } as const
const attributeTypes = { float: 1, int: 2, tensor: 4 } as const
const tensor = { dimension: 1, type: 2, name: 8, bytes: 9 } as const
const FLOAT = 1
const CONSTANT = 'Constant'

/** Reads a network whose weights are all constant nodes, as Paddle exports it. */
export function readOnnxFile(file: Buffer): OnnxFile {
  const model = readFields(file)
  const graph = readFields(bytesOf(model, GRAPH_OF_MODEL))
  const nodes = graph.filter(({ number }) => number === NODE_OF_GRAPH).map(({ value }) => readNode(value as Buffer))
  const otherFields = graph.filter(({ number }) => number !== NODE_OF_GRAPH)
  return {
    nodes,
    constants: new Map(nodes.flatMap(constantOf)),
    encode: (nodes) => {
      const nodeFields = nodes.map((one) => ({ number: NODE_OF_GRAPH, value: writeNode(one) }))
      const graph = writeFields([...nodeFields, ...otherFields])
      return writeFields(model.map((field) => (field.number === GRAPH_OF_MODEL ? { ...field, value: graph } : field)))
    },
  }
}

/** Node with constant values. */
export function constantNode(name: string, { shape, values }: Constant): NetworkNode {
  const value = writeFields([
    ...shape.map((length) => ({ number: tensor.dimension, value: length })),
    { number: tensor.type, value: FLOAT },
    { number: tensor.bytes, value: Buffer.from(values.buffer, values.byteOffset, values.byteLength) },
  ])
  const attributes = [
    writeFields([
      { number: attribute.name, value: Buffer.from('value') },
      { number: attribute.tensor, value },
      { number: attribute.type, value: attributeTypes.tensor },
    ]),
  ]
  return { operator: CONSTANT, inputs: [], outputs: [name], attributes }
}

export function floatAttribute(name: string, value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes[0] = (attribute.float << 3) | FIXED_32
  bytes.writeFloatLE(value, 1)
  const nameField = writeFields([{ number: attribute.name, value: Buffer.from(name) }])
  return Buffer.concat([nameField, bytes, writeFields([{ number: attribute.type, value: attributeTypes.float }])])
}

export function intAttribute(name: string, value: number): Buffer {
  return writeFields([
    { number: attribute.name, value: Buffer.from(name) },
    { number: attribute.int, value },
    { number: attribute.type, value: attributeTypes.int },
  ])
}

function constantOf({ operator, outputs, attributes }: NetworkNode): [string, Constant][] {
  const [first] = attributes
  if (operator !== CONSTANT || first === undefined) return []
  const fields = readFields(bytesOf(readFields(first), attribute.tensor))
  const bytes = fields.find(({ number }) => number === tensor.bytes)?.value
  if (!Buffer.isBuffer(bytes) || fields.find(({ number }) => number === tensor.type)?.value !== FLOAT) return []
  const shape = fields.filter(({ number }) => number === tensor.dimension).map(({ value }) => Number(value))
  const values = new Float32Array(new Uint8Array(bytes).buffer)
  return [[outputs[0] as string, { shape, values }]]
}

function readNode(bytes: Buffer): NetworkNode {
  const fields = readFields(bytes)
  const valuesOf = (wanted: number) =>
    fields.filter(({ number }) => number === wanted).map(({ value }) => value as Buffer)
  return {
    operator: String(bytesOf(fields, node.operator)),
    inputs: valuesOf(node.input).map(String),
    outputs: valuesOf(node.output).map(String),
    attributes: valuesOf(node.attribute),
  }
}

function writeNode({ operator, inputs, outputs, attributes }: NetworkNode): Buffer {
  return writeFields([
    ...inputs.map((name) => ({ number: node.input, value: Buffer.from(name) })),
    ...outputs.map((name) => ({ number: node.output, value: Buffer.from(name) })),
    { number: node.operator, value: Buffer.from(operator) },
    ...attributes.map((value) => ({ number: node.attribute, value })),
  ])
}

function bytesOf(fields: Field[], wanted: number): Buffer {
  const value = fields.find(({ number }) => number === wanted)?.value
  if (!Buffer.isBuffer(value)) throw new Error(`The network lacks field ${wanted}.`)
  return value
}

function readFields(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let offset = 0
  const readNumber = () => {
    let [value, unit] = [0, 1]
    for (;;) {
      const byte = bytes[offset++]
      if (byte === undefined) throw new Error('The network ends too early.')
      value += (byte & 127) * unit
      if (byte < 128) return value
      unit *= 128
    }
  }
  const take = (length: number) => {
    offset += length
    return bytes.subarray(offset - length, offset)
  }
  while (offset < bytes.length) {
    const key = readNumber()
    const [number, type] = [key >> 3, key & 7]
    if (type === VARINT) fields.push({ number, value: readNumber() })
    else if (type === BYTES) fields.push({ number, value: take(readNumber()) })
    else if (type === FIXED_32 || type === FIXED_64) take(type === FIXED_32 ? 4 : 8)
    else throw new Error(`The network has fields of type ${type}.`)
  }
  return fields
}

function writeFields(fields: Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(({ number, value }) =>
      typeof value === 'number'
        ? [writeNumber((number << 3) | VARINT), writeNumber(value)]
        : [writeNumber((number << 3) | BYTES), writeNumber(value.length), value],
    ),
  )
}

function writeNumber(value: number): Buffer {
  const bytes: number[] = []
  let remaining = value
  for (; remaining > 127; remaining = Math.floor(remaining / 128)) bytes.push((remaining % 128) + 128)
  return Buffer.from([...bytes, remaining])
}
