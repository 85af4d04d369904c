import { describe, expect, it } from 'vitest'
import { asIntensity, rejectionOf } from './use-studio.ts'

describe('the rules of the studio', () => {
  it('accept images by file extension, and pasted ones without a name by type', () => {
    const picture = (name: string, type = '', size = 1) => rejectionOf({ name, type, size })
    expect(['a.jpg', 'a.JPEG', 'b.png', 'c.bmp', 'd.x.webp'].map((name) => picture(name))).toEqual(Array(5).fill(null))
    expect(['IMG_0001.HEIC', 'DSC_1.nef', 'photo.jxl'].map((name) => picture(name))).toEqual(Array(3).fill(null))
    expect(['download.jfif', 'photo.jpe', 'x.apng'].map((name) => picture(name))).toEqual(Array(3).fill(null))
    expect(picture('WhatsApp Image 2026-01-02 at 10.15.33', 'image/jpeg')).toBeNull()
    expect(picture('blob', 'image/png')).toBeNull()
    expect(picture('blob', 'image/heic')).toBeNull()
    expect(picture('letter.pdf', 'application/pdf')).toBe('type')
    expect(picture('moving.gif', 'image/gif')).toBe('type')
    expect(picture('image.svg', 'image/png')).toBe('type')
    expect(picture('clip', 'video/mp4')).toBe('type')
  })

  it('accept an image of exactly 50 MB, and none larger', () => {
    const sized = (size: number) => rejectionOf({ name: 'a.png', type: 'image/png', size })
    expect(sized(52_428_800)).toBeNull()
    expect(sized(52_428_801)).toBe('too-large')
  })

  it('round intensities to the steps and limits of the slider', () => {
    expect([0.1 + 0.2, 1.0499, 7, 0, 1.95].map(asIntensity)).toEqual([0.3, 1, 2, 0.1, 2])
  })
})
