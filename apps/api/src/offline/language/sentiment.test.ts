import { describe, expect, test } from 'vitest'
import { sentimentOf } from './sentiment.ts'

describe('the sentiment of a message', () => {
  test.each([
    ['positive', 'I love this, it is wonderful!'],
    ['positive', 'thanks, that worked great'],
    ['positive', 'That is good.'],
    ['positive', 'Me encanta, es maravilloso'],
    ['positive', "J'adore, c'est merveilleux"],
    ['positive', 'Vielen Dank, das hat super geklappt'],
    ['negative', 'This is terrible, I hate it'],
    ['negative', 'not good at all'],
    ['negative', "I don't like it, this is so frustrating"],
    ['negative', 'Esto es horrible, lo odio'],
    ['negative', "C'est horrible, je déteste ça"],
    ['negative', 'Je ne suis pas content'],
    ['negative', 'Das ist schrecklich, ich hasse es'],
    ['negative', 'Ich bin nicht zufrieden'],
    ['neutral', 'What is the weather in Berlin?'],
    ['neutral', 'How do I kill a process in Linux?'],
    ['neutral', 'Can you help me write a letter to my landlord?'],
    ['neutral', 'Is there a good hotel near the station in Lyon?'],
    ['neutral', '¿Qué tiempo hace en Madrid?'],
    ['neutral', 'Quel temps fait-il à Paris ?'],
    ['neutral', 'Kannst du mir einen Brief an meinen Vermieter schreiben?'],
    ['neutral', 'こんにちは'],
    ['neutral', ''],
  ])('is %s for "%s"', (sentiment, text) => {
    expect(sentimentOf([text])).toBe(sentiment)
  })
})

describe('the sentiment of several messages', () => {
  test('ignores neutral messages', () => {
    expect(sentimentOf(['What is 2 + 2?', 'You are useless, I hate this', 'And what is 3 + 3?'])).toBe('negative')
  })

  test('is neutral when they disagree', () => {
    expect(sentimentOf(['This is terrible, I hate it', 'Now it is wonderful'])).toBe('neutral')
  })

  test('is neutral without messages', () => {
    expect(sentimentOf([])).toBe('neutral')
  })
})
