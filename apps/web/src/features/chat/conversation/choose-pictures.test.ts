import { describe, expect, it } from 'vitest'
import { choosePictures } from './choose-pictures.ts'

const picture = (name: string, size = 100) => ({ name, type: 'image/png', size })

describe('choosePictures', () => {
  it('keeps only image/* files and names the others', () => {
    const files = [picture('cat.png'), { name: 'notes.pdf', type: 'application/pdf', size: 5 }]
    expect(choosePictures(files, 0)).toEqual({
      accepted: [files[0]],
      problems: [{ kind: 'not-image', name: 'notes.pdf' }],
    })
  })

  it('accepts photos from phones and cameras whose type the browser doesn’t know', () => {
    const files = ['IMG_0001.HEIC', 'DSC_1.NEF', 'photo.jxl', 'a.jfif', 'notes'].map((name) => ({
      name,
      type: '',
      size: 5,
    }))
    const { accepted, problems } = choosePictures(files, 0)
    expect(accepted.map(({ name }) => name)).toEqual(['IMG_0001.HEIC', 'DSC_1.NEF', 'photo.jxl', 'a.jfif'])
    expect(problems).toEqual([{ kind: 'not-image', name: 'notes' }])
  })

  it('accepts at most five, including those already chosen, and reports the limit once', () => {
    const { accepted, problems } = choosePictures(
      ['a', 'b', 'c', 'd', 'e'].map((name) => picture(name)),
      3,
    )
    expect(accepted.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(problems).toEqual([{ kind: 'too-many' }])
  })

  it('accepts large images, which are scaled down, but none over 100 MB', () => {
    const { accepted, problems } = choosePictures(
      [picture('fits', 100 * 1024 ** 2), picture('large', 100 * 1024 ** 2 + 1)],
      0,
    )
    expect(accepted.map(({ name }) => name)).toEqual(['fits'])
    expect(problems).toEqual([{ kind: 'too-large', name: 'large' }])
  })
})
