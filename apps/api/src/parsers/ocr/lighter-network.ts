import {
  type Constant,
  constantNode,
  floatAttribute,
  intAttribute,
  type NetworkNode,
  readNetworkFile,
} from './network-file.ts'

/** Small number that Paddle adds to the variance of a normalisation. */
const EPSILON = 1e-5
/** Each step of the head doubles both sides: a pixel becomes four. */
const FOUR = 4

interface Head {
  /** Its nodes in order, and what they are of. */
  enlarging: NetworkNode
  bias: NetworkNode
  normalisation: NetworkNode
  enlargingAgain: NetworkNode
  biasAgain: NetworkNode
}

/**
 * The last layers of a finder of text, which enlarge its map twice: the four pixels that each makes of one are kept side by
 * side as channels until the end, so that there are only two products of matrices, and no large picture of many channels.
 * @returns nothing for a head of another kind
 */
function joinHead(head: Head, constants: Map<string, Constant>): NetworkNode[] | undefined {
  const valuesOf = (node: NetworkNode, index: number) => constants.get(node.inputs[index] ?? '')
  const [weights, weightsAgain] = [valuesOf(head.enlarging, 1), valuesOf(head.enlargingAgain, 1)]
  const [bias, biasAgain] = [head.bias, head.biasAgain].map((node) => valuesOf(node, 1)?.values)
  const parts = [1, 2, 3, 4].map((index) => valuesOf(head.normalisation, index)?.values)
  const [scale, offset, mean, variance] = parts
  if (!weights || !weightsAgain || !bias || !biasAgain || !scale || !offset || !mean || !variance) return undefined
  const [taken = 0, channels = 0, ...kernel] = weights.shape
  if ([...kernel, ...weightsAgain.shape].join() !== [2, 2, channels, 1, 2, 2].join()) return undefined

  const first = new Float32Array(FOUR * channels * taken)
  const firstBias = new Float32Array(FOUR * channels)
  const last = new Float32Array(FOUR * FOUR * FOUR * channels)
  for (let part = 0; part < FOUR; part++) {
    for (let channel = 0; channel < channels; channel++) {
      const row = part * channels + channel
      const by = (scale[channel] as number) / Math.sqrt((variance[channel] as number) + EPSILON)
      firstBias[row] = ((bias[channel] as number) - (mean[channel] as number)) * by + (offset[channel] as number)
      for (let from = 0; from < taken; from++) {
        first[row * taken + from] = (weights.values[(from * channels + channel) * FOUR + part] as number) * by
      }
      for (let again = 0; again < FOUR; again++) {
        const value = weightsAgain.values[channel * FOUR + again] as number
        last[(part * FOUR + again) * FOUR * channels + row] = value
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
  const apart = (input: string, to: string): NetworkNode => ({
    operator: 'DepthToSpace',
    inputs: [input],
    outputs: [to],
    attributes: [intAttribute('blocksize', 2)],
  })
  return [
    constantNode(name('weights'), { shape: [FOUR * channels, taken, 1, 1], values: first }),
    constantNode(name('bias'), { shape: [FOUR * channels], values: firstBias }),
    constantNode(name('weights.again'), { shape: [FOUR * FOUR, FOUR * channels, 1, 1], values: last }),
    constantNode(name('bias.again'), {
      shape: [FOUR * FOUR],
      values: new Float32Array(FOUR * FOUR).fill(biasAgain[0] as number),
    }),
    convolution([head.enlarging.inputs[0] as string, name('weights'), name('bias')], name('four')),
    { operator: 'Relu', inputs: [name('four')], outputs: [name('seen')], attributes: [] },
    convolution([name('seen'), name('weights.again'), name('bias.again')], name('sixteen')),
    apart(name('sixteen'), name('apart')),
    apart(name('apart'), output),
  ]
}

/**
 * The same network with fewer passes over its data: Paddle writes an activation as four nodes and scales each layer by
 * two numbers in two nodes, and the runtime, which doesn't join those, spends more than half of its time there.
 * Activations become two nodes; numbers after a convolution go into its weights, and others into one node.
 */
export function lighten(file: Buffer): Buffer {
  const network = readNetworkFile(file)
  const { constants } = network
  const replaced = new Map<NetworkNode, NetworkNode[]>()
  const producers = new Map(network.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)))
  const uses = new Map<string, number>()
  for (const name of network.nodes.flatMap(({ inputs }) => inputs)) uses.set(name, (uses.get(name) ?? 0) + 1)

  const only = (name: string | undefined) => {
    const values = name === undefined ? undefined : constants.get(name)?.values
    return values?.length === 1 ? values[0] : undefined
  }
  /** The number and the other input of a node that has both. */
  const withNumber = (node: NetworkNode | undefined, operator: string) => {
    if (node?.operator !== operator) return undefined
    const at = node.inputs.findIndex((name) => only(name) !== undefined)
    const input = node.inputs[1 - at]
    return at === -1 || input === undefined ? undefined : { node, number: only(node.inputs[at]) as number, input, at }
  }
  const producerOf = (name: string | undefined) => (name === undefined ? undefined : producers.get(name))
  const isUsedOnce = (name: string | undefined) => name !== undefined && uses.get(name) === 1

  /** x · clip(x + 3, 0, 6) / 6 */
  const joinActivation = (last: NetworkNode) => {
    const division = withNumber(last, 'Div')
    if (division?.number !== 6 || division.at !== 1) return
    const product = producerOf(division.input)
    if (product?.operator !== 'Mul' || !isUsedOnce(division.input)) return
    const clip = product.inputs.map(producerOf).find((node) => node?.operator === 'Clip')
    const sum = withNumber(producerOf(clip?.inputs[0]), 'Add')
    if (clip === undefined || sum?.number !== 3) return
    if (only(clip.inputs[1]) !== 0 || only(clip.inputs[2]) !== 6 || !product.inputs.includes(sum.input)) return
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
  const joinScale = (last: NetworkNode) => {
    const sum = withNumber(last, 'Add')
    const product = withNumber(producerOf(sum?.input), 'Mul')
    if (sum === undefined || product === undefined || !isUsedOnce(sum.input)) return
    const [output = ''] = last.outputs
    const before = producerOf(product.input)
    const channels = channelsOf(product.input)
    if (channels === undefined) return
    const folded =
      before?.operator === 'Conv' && isUsedOnce(product.input)
        ? foldIntoWeights(before, { constants, scale: product.number, offset: sum.number, output })
        : undefined
    replaced.set(product.node, [])
    if (folded !== undefined && before !== undefined) replaced.set(before, [])
    replaced.set(
      last,
      folded ?? scaleChannels(product.input, { channels, scale: product.number, offset: sum.number, output }),
    )
  }

  /** x + x · gate */
  const joinGate = (last: NetworkNode) => {
    if (last.operator !== 'Add') return
    const product = last.inputs.map(producerOf).find((node) => node?.operator === 'Mul' && isUsedOnce(node.outputs[0]))
    const input = last.inputs.find((name) => name !== product?.outputs[0])
    const gate = product?.inputs.find((name) => name !== input)
    if (product === undefined || input === undefined || gate === undefined || !product.inputs.includes(input)) return
    const [output = ''] = last.outputs
    const [one, more] = [`${output}.one`, `${output}.more`]
    replaced.set(product, [])
    replaced.set(last, [
      constantNode(one, { shape: [1], values: Float32Array.of(1) }),
      { operator: 'Add', inputs: [gate, one], outputs: [more], attributes: [] },
      { operator: 'Mul', inputs: [input, more], outputs: [output], attributes: [] },
    ])
  }

  /** The layers that a finder ends with. */
  const joinEnd = (last: NetworkNode) => {
    const operators = ['Add', 'ConvTranspose', 'Relu', 'BatchNormalization', 'Add', 'ConvTranspose']
    const chain: NetworkNode[] = []
    for (let node: NetworkNode | undefined = last; node && node.operator === operators[chain.length]; ) {
      chain.unshift(node)
      node = producerOf(node.inputs[0])
    }
    const [enlarging, bias, normalisation, activation, enlargingAgain, biasAgain] = chain
    if (!enlarging || !bias || !normalisation || !activation || !enlargingAgain || !biasAgain) return
    if (chain.some((node) => node !== last && !isUsedOnce(node.outputs[0]))) return
    const joined = joinHead({ enlarging, bias, normalisation, enlargingAgain, biasAgain }, constants)
    if (joined === undefined) return
    for (const node of chain) replaced.set(node, [])
    replaced.set(last, joined)
  }

  /** Channels of a node's output, told by the convolution it comes from. */
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

  for (const node of network.nodes) joinActivation(node)
  for (const join of [joinScale, joinGate, joinEnd]) {
    for (const node of network.nodes) if (!replaced.has(node)) join(node)
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

/** A normalisation of each channel by the same numbers, which the runtime does in the layout of its convolutions. */
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
