import {
  type Constant,
  constantNode,
  floatAttribute,
  intAttribute,
  type NetworkNode,
  readOnnxFile,
} from './onnx-file.ts'

/** Small number that Paddle adds to the variance of a normalisation. */
const EPSILON = 1e-5
/** Pixels that an upsampling step makes of one: it doubles both sides. */
const QUAD = 4

interface Head {
  /** First node; the others follow in this order, with an activation before `upsamplingAgain`. */
  upsampling: NetworkNode
  bias: NetworkNode
  normalisation: NetworkNode
  upsamplingAgain: NetworkNode
  biasAgain: NetworkNode
}

/**
 * Fuses the last layers of a text detector, which upsample its map in two steps. A step makes four pixels of one; in
 * the fused layers, these stay channels until the end, which takes only two matrix products and no large map of many channels.
 * @returns undefined for a head of another kind
 */
function fuseHead(head: Head, constants: Map<string, Constant>): NetworkNode[] | undefined {
  const valuesOf = (node: NetworkNode, index: number) => constants.get(node.inputs[index] ?? '')
  const [weights, weightsAgain] = [valuesOf(head.upsampling, 1), valuesOf(head.upsamplingAgain, 1)]
  const [bias, biasAgain] = [head.bias, head.biasAgain].map((node) => valuesOf(node, 1)?.values)
  const parts = [1, 2, 3, 4].map((index) => valuesOf(head.normalisation, index)?.values)
  const [scale, offset, mean, variance] = parts
  if (!weights || !weightsAgain || !bias || !biasAgain || !scale || !offset || !mean || !variance) return undefined
  const [inputChannels = 0, channels = 0, ...kernel] = weights.shape
  if ([...kernel, ...weightsAgain.shape].join() !== [2, 2, channels, 1, 2, 2].join()) return undefined

  const first = new Float32Array(QUAD * channels * inputChannels)
  const firstBias = new Float32Array(QUAD * channels)
  const last = new Float32Array(QUAD * QUAD * QUAD * channels)
  for (let part = 0; part < QUAD; part++) {
    for (let channel = 0; channel < channels; channel++) {
      const row = part * channels + channel
      const factor = (scale[channel] as number) / Math.sqrt((variance[channel] as number) + EPSILON)
      firstBias[row] = ((bias[channel] as number) - (mean[channel] as number)) * factor + (offset[channel] as number)
      for (let from = 0; from < inputChannels; from++) {
        first[row * inputChannels + from] =
          (weights.values[(from * channels + channel) * QUAD + part] as number) * factor
      }
      for (let again = 0; again < QUAD; again++) {
        const value = weightsAgain.values[channel * QUAD + again] as number
        last[(part * QUAD + again) * QUAD * channels + row] = value
      }
    }
  }
  const [output = ''] = head.biasAgain.outputs
  const name = (part: string) => `${output}.${part}`
  const convolution = (inputs: string[], to: string): NetworkNode => ({
    operator: 'Conv',
    inputs,
    outputs: [to],
    attributes: [],
  })
  const depthToSpace = (input: string, to: string): NetworkNode => ({
    operator: 'DepthToSpace',
    inputs: [input],
    outputs: [to],
    attributes: [intAttribute('blocksize', 2)],
  })
  return [
    constantNode(name('weights'), { shape: [QUAD * channels, inputChannels, 1, 1], values: first }),
    constantNode(name('bias'), { shape: [QUAD * channels], values: firstBias }),
    constantNode(name('weights.again'), { shape: [QUAD * QUAD, QUAD * channels, 1, 1], values: last }),
    constantNode(name('bias.again'), {
      shape: [QUAD * QUAD],
      values: new Float32Array(QUAD * QUAD).fill(biasAgain[0] as number),
    }),
    convolution([head.upsampling.inputs[0] as string, name('weights'), name('bias')], name('four')),
    { operator: 'Relu', inputs: [name('four')], outputs: [name('seen')], attributes: [] },
    convolution([name('seen'), name('weights.again'), name('bias.again')], name('sixteen')),
    depthToSpace(name('sixteen'), name('apart')),
    depthToSpace(name('apart'), output),
  ]
}

/**
 * The same network with fewer passes over its data. Paddle writes an activation as four nodes and scales each layer by two
 * numbers in two nodes. The runtime doesn't fuse these nodes and spends more than half of its time on them.
 * Activations become two nodes; numbers after a convolution go into its weights, and others into one node.
 */
export function optimiseNetwork(file: Buffer): Buffer {
  const network = readOnnxFile(file)
  const { constants } = network
  const replaced = new Map<NetworkNode, NetworkNode[]>()
  const producers = new Map(network.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)))
  const uses = new Map<string, number>()
  for (const name of network.nodes.flatMap(({ inputs }) => inputs)) uses.set(name, (uses.get(name) ?? 0) + 1)

  const scalarOf = (name: string | undefined) => {
    const values = name === undefined ? undefined : constants.get(name)?.values
    return values?.length === 1 ? values[0] : undefined
  }
  /** The scalar and the other input of a node that has both. */
  const withScalar = (node: NetworkNode | undefined, operator: string) => {
    if (node?.operator !== operator) return undefined
    const index = node.inputs.findIndex((name) => scalarOf(name) !== undefined)
    const input = node.inputs[1 - index]
    if (index === -1 || input === undefined) return undefined
    return { node, scalar: scalarOf(node.inputs[index]) as number, input, index }
  }
  const producerOf = (name: string | undefined) => (name === undefined ? undefined : producers.get(name))
  const isUsedOnce = (name: string | undefined) => name !== undefined && uses.get(name) === 1

  /** x · clip(x + 3, 0, 6) / 6 */
  const fuseActivation = (last: NetworkNode) => {
    const division = withScalar(last, 'Div')
    if (division?.scalar !== 6 || division.index !== 1) return
    const product = producerOf(division.input)
    if (product?.operator !== 'Mul' || !isUsedOnce(division.input)) return
    const clip = product.inputs.map(producerOf).find((node) => node?.operator === 'Clip')
    const sum = withScalar(producerOf(clip?.inputs[0]), 'Add')
    if (clip === undefined || sum?.scalar !== 3) return
    if (scalarOf(clip.inputs[1]) !== 0 || scalarOf(clip.inputs[2]) !== 6 || !product.inputs.includes(sum.input)) return
    if (!isUsedOnce(clip.outputs[0]) || !isUsedOnce(sum.node.outputs[0])) return
    const [output = ''] = last.outputs
    const gate = `${output}.gate`
    const attributes = [floatAttribute('alpha', 1 / 6), floatAttribute('beta', 0.5)]
    for (const node of [product, clip, sum.node]) replaced.set(node, [])
    replaced.set(last, [
      { operator: 'HardSigmoid', inputs: [sum.input], outputs: [gate], attributes },
      { operator: 'Mul', inputs: [sum.input, gate], outputs: [output], attributes: [] },
    ])
  }

  /** x · a + b */
  const fuseScale = (last: NetworkNode) => {
    const sum = withScalar(last, 'Add')
    const product = withScalar(producerOf(sum?.input), 'Mul')
    if (sum === undefined || product === undefined || !isUsedOnce(sum.input)) return
    const [output = ''] = last.outputs
    const before = producerOf(product.input)
    const channels = channelsOf(product.input)
    if (channels === undefined) return
    const folded =
      before?.operator === 'Conv' && isUsedOnce(product.input)
        ? foldIntoWeights(before, { constants, scale: product.scalar, offset: sum.scalar, output })
        : undefined
    replaced.set(product.node, [])
    if (folded !== undefined && before !== undefined) replaced.set(before, [])
    replaced.set(
      last,
      folded ?? scaleChannels(product.input, { channels, scale: product.scalar, offset: sum.scalar, output }),
    )
  }

  /** x + x · gate */
  const fuseGate = (last: NetworkNode) => {
    if (last.operator !== 'Add') return
    const product = last.inputs.map(producerOf).find((node) => node?.operator === 'Mul' && isUsedOnce(node.outputs[0]))
    const input = last.inputs.find((name) => name !== product?.outputs[0])
    const gate = product?.inputs.find((name) => name !== input)
    if (product === undefined || input === undefined || gate === undefined || !product.inputs.includes(input)) return
    const [output = ''] = last.outputs
    const [oneName, sumName] = [`${output}.one`, `${output}.more`]
    replaced.set(product, [])
    replaced.set(last, [
      constantNode(oneName, { shape: [1], values: Float32Array.of(1) }),
      { operator: 'Add', inputs: [gate, oneName], outputs: [sumName], attributes: [] },
      { operator: 'Mul', inputs: [input, sumName], outputs: [output], attributes: [] },
    ])
  }

  /** The last layers of a detector. */
  const fuseEnd = (last: NetworkNode) => {
    const operators = ['Add', 'ConvTranspose', 'Relu', 'BatchNormalization', 'Add', 'ConvTranspose']
    const chain: NetworkNode[] = []
    for (let node: NetworkNode | undefined = last; node && node.operator === operators[chain.length]; ) {
      chain.unshift(node)
      node = producerOf(node.inputs[0])
    }
    const [upsampling, bias, normalisation, activation, upsamplingAgain, biasAgain] = chain
    if (!upsampling || !bias || !normalisation || !activation || !upsamplingAgain || !biasAgain) return
    if (chain.some((node) => node !== last && !isUsedOnce(node.outputs[0]))) return
    const fused = fuseHead({ upsampling, bias, normalisation, upsamplingAgain, biasAgain }, constants)
    if (fused === undefined) return
    for (const node of chain) replaced.set(node, [])
    replaced.set(last, fused)
  }

  /** Channels of a node's output, as given by the convolution it comes from. */
  const channelsOf = (name: string): number | undefined => {
    const node = producerOf(name)
    if (node?.operator === 'Conv') return constants.get(node.inputs[1] ?? '')?.shape[0]
    if (node === undefined || !['Add', 'Div', 'Mul', 'BatchNormalization'].includes(node.operator)) return undefined
    for (const input of node.inputs) {
      const channels = constants.has(input) ? undefined : channelsOf(input)
      if (channels !== undefined) return channels
    }
    return undefined
  }

  for (const node of network.nodes) fuseActivation(node)
  for (const fuse of [fuseScale, fuseGate, fuseEnd]) {
    for (const node of network.nodes) if (!replaced.has(node)) fuse(node)
  }
  return network.encode(network.nodes.flatMap((node) => replaced.get(node) ?? node))
}

function foldIntoWeights(
  conv: NetworkNode,
  {
    constants,
    scale,
    offset,
    output,
  }: { constants: Map<string, Constant>; scale: number; offset: number; output: string },
): NetworkNode[] | undefined {
  const [input = '', weightName = '', biasName] = conv.inputs
  const weights = constants.get(weightName)
  const bias = biasName === undefined ? undefined : constants.get(biasName)
  if (weights === undefined || (biasName !== undefined && bias === undefined)) return undefined
  const channels = weights.shape[0] as number
  const [scaledName, shiftedName] = [`${output}.weights`, `${output}.bias`]
  const shifted = Float32Array.from({ length: channels }, (_, channel) => (bias?.values[channel] ?? 0) * scale + offset)
  return [
    constantNode(scaledName, { shape: weights.shape, values: weights.values.map((value) => value * scale) }),
    constantNode(shiftedName, { shape: [channels], values: shifted }),
    { ...conv, inputs: [input, scaledName, shiftedName], outputs: [output] },
  ]
}

/** Batch normalisation with the same numbers for each channel, which the runtime runs in the layout of its convolutions. */
function scaleChannels(
  input: string,
  { channels, scale, offset, output }: { channels: number; scale: number; offset: number; output: string },
): NetworkNode[] {
  const parts = Object.entries({ scale, offset, mean: 0, variance: 1 }).map(
    ([part, value]) => [`${output}.${part}`, new Float32Array(channels).fill(value)] as const,
  )
  return [
    ...parts.map(([name, values]) => constantNode(name, { shape: [channels], values })),
    {
      operator: 'BatchNormalization',
      inputs: [input, ...parts.map(([name]) => name)],
      outputs: [output],
      attributes: [floatAttribute('epsilon', 0)],
    },
  ]
}
