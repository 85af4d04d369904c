import { type Constant, constantNode, intAttribute, type NetworkNode } from './network-file.ts'

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
export function joinHead(head: Head, constants: Map<string, Constant>): NetworkNode[] | undefined {
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
