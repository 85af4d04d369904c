import { loadModel, type ModelToRun } from './run-load.ts'
import { readPicture } from './run-looks.ts'

const MOST_TOKENS = 128
const FLORENCE_TASK = '<DETAILED_CAPTION>'

/** A sentence or two about a picture, in English; '' when the model has none. */
export async function describePicture(input: { model: ModelToRun; picture: Uint8Array }): Promise<string> {
  const { florence2, imageToText } = await loadModel(input.model)
  const picture = await readPicture(input.picture)
  if (imageToText !== undefined) {
    const made = await imageToText(picture, { max_new_tokens: MOST_TOKENS } as never)
    return [made].flat(2)[0]?.generated_text ?? ''
  }
  if (florence2 === undefined) throw new TypeError(`${input.model.id} describes no pictures.`)
  const { processor, model } = florence2
  // the task is one of the model's own: nothing in the picture or around it can change it
  const inputs = await processor(picture, processor.construct_prompts(FLORENCE_TASK))
  const ids = await model.generate({ ...inputs, max_new_tokens: MOST_TOKENS })
  const [text = ''] = processor.batch_decode(ids as never, { skip_special_tokens: false })
  const told = processor.post_process_generation(text, FLORENCE_TASK, [picture.width, picture.height])[FLORENCE_TASK]
  return typeof told === 'string' ? told.replaceAll(/<\/?(s|pad|unk)>/g, '').trim() : ''
}
