import { RawImage } from '@huggingface/transformers'
import { loadModel, type ModelToRun, unitRows } from './run-load.ts'

/** Names of the vectors in the two kinds of models. */
interface Output {
  image_embeds?: { data: unknown; dims: number[] }
  text_embeds?: { data: unknown; dims: number[] }
  pooler_output?: { data: unknown; dims: number[] }
}

const vectorsOf = ({ image_embeds, text_embeds, pooler_output }: Output) => {
  const vectors = image_embeds ?? text_embeds ?? pooler_output
  if (vectors === undefined) throw new TypeError('The model gives no vectors.')
  return unitRows(vectors)
}

async function loadLooks(model: ModelToRun) {
  const { looks } = await loadModel(model)
  if (looks === undefined) throw new TypeError(`${model.id} compares no pictures.`)
  return looks
}

/** One vector of length 1 for each picture. @param input.pictures files that sharp can decode. */
export async function comparePictures(input: { model: ModelToRun; pictures: Uint8Array[] }): Promise<Float32Array[]> {
  const { processor, pictures } = await loadLooks(input.model)
  const read = await Promise.all(input.pictures.map(readPicture))
  return vectorsOf((await pictures(await processor(read))) as Output)
}

/** One vector of length 1 for each text, near those of pictures that it describes. */
export async function comparePictureTexts(input: { model: ModelToRun; texts: string[] }): Promise<Float32Array[]> {
  const { tokenizer, texts } = await loadLooks(input.model)
  // SigLIP has learned from texts of one length only
  const padding = input.model.family === 'siglip' ? 'max_length' : true
  return vectorsOf((await texts(tokenizer(input.texts, { padding, truncation: true }))) as Output)
}

/** Decodes a picture. */
export async function readPicture(picture: Uint8Array): Promise<RawImage> {
  return (await RawImage.read(new Blob([new Uint8Array(picture)]))).rgb()
}
