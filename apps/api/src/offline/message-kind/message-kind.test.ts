import { describe, expect, test } from 'vitest'
import { judgeMessage } from './message-kind.ts'

/** Messages that aren't among the training examples. */
const talk = [
  ...[
    'Hi again!',
    'Good evening, Mira',
    'Hey, what is new?',
    'Thank you, that was very kind',
    'Cheers, have a good one',
  ],
  ...[
    'Sleep tight',
    'You are funny',
    'I am in a bad mood',
    'Tell me a joke about pirates',
    'Write a poem about the moon',
  ],
  ...['Translate this into German: the soup is too hot', 'Correct this: we was late', 'Write a story about two mice'],
  ...['Hallo zusammen', 'Guten Abend, Mira', 'Danke, sehr lieb von dir', 'Bis bald und schönen Abend', 'Ich bin müde'],
  ...[
    'Erzähl mir einen Witz über Piraten',
    'Schreib ein Gedicht über den Mond',
    'Übersetze das: die Suppe ist zu heiß',
  ],
  ...[
    'Korrigiere das: wir war zu spät',
    'Schreib eine Geschichte über zwei Mäuse',
    'Hola de nuevo',
    'Buenas tardes, Mira',
  ],
  ...['Gracias, muy amable', 'Hasta mañana y buenas noches', 'Estoy cansada', 'Cuéntame un chiste de piratas'],
  ...['Escribe un poema sobre la luna', 'Traduce esto: la sopa está caliente', 'Corrige esto: nosotros fue tarde'],
  ...[
    'Bonsoir Mira',
    'Merci, c’est gentil',
    'À demain et bonne nuit',
    'Je suis fatiguée',
    'Raconte-moi une blague de pirates',
  ],
  ...['Écris un poème sur la lune', 'Traduis ceci : la soupe est trop chaude', '👍'],
]
const questions = [
  'In March 2025, during a chat with Li Na, I learned about something that happened to Zhang Wei',
  'On March 15th, how did Ana plan her training?',
  ...['When does the contract with the electrician end?', 'Which ward was grandpa in?', 'What did we name the kitten?'],
  ...[
    'How much was the new sofa?',
    'tyre pressure of the van',
    'health card number',
    'Who painted the picture in the hall?',
  ],
  ...[
    'Morning! When is the parents’ evening?',
    'Thanks, which pharmacy has the ointment?',
    'Translate the discharge letter',
  ],
  ...[
    'Summarise the letter of the energy supplier',
    'Write to the landlord about the mould',
    'Tell me what Anna said about the trip',
  ],
  ...[
    'Give me the ingredients of the apple pie',
    'Which song did the children sing in the video?',
    'Do I have liability insurance?',
  ],
  ...[
    'Wann endet der Vertrag mit dem Elektriker?',
    'Auf welcher Station lag Opa?',
    'Wie haben wir das Kätzchen genannt?',
  ],
  ...[
    'Reifendruck vom Bus',
    'Morgen! Wann ist der Elternabend?',
    'Übersetze den Entlassungsbrief',
    'Was kostete das neue Sofa?',
  ],
  ...['Fasse das Schreiben des Stromanbieters zusammen', 'Schreib dem Vermieter wegen des Schimmels'],
  ...[
    '¿Cuándo termina el contrato con el electricista?',
    '¿En qué planta estaba el abuelo?',
    'presión de los neumáticos',
  ],
  ...['Traduce el informe de alta', 'Resume la carta de la compañía eléctrica', '¿Cuánto costó el sofá nuevo?'],
  ...['Quand se termine le contrat avec l’électricien ?', 'Dans quel service était papi ?', 'pression des pneus'],
  ...[
    'Traduis la lettre de sortie',
    'Résume la lettre du fournisseur d’énergie',
    'Combien a coûté le nouveau canapé ?',
  ],
  ...[
    '租约什么时候到期？',
    '保証期間はいつまでですか',
    'ประกันหมดเมื่อไหร่',
    'type:document heater',
    'invoice_2024-17.pdf',
  ],
]
const followUps = [
  ...[
    'And when does that start?',
    'How much is it per month?',
    'Who sent me that?',
    'Does it say why?',
    'and the third one?',
  ],
  ...[
    'Until when is it valid?',
    'What else does it say?',
    'Where is he now?',
    'Can I return it?',
    'And what is her address?',
  ],
  ...[
    'Und wann fängt das an?',
    'Was kostet das im Monat?',
    'Wer hat mir das geschickt?',
    'und das dritte?',
    'Bis wann gilt er?',
  ],
  ...[
    '¿Y cuándo empieza eso?',
    '¿Cuánto cuesta al mes?',
    '¿Quién me lo mandó?',
    '¿y el tercero?',
    '¿Hasta cuándo vale?',
  ],
  ...[
    'Et quand est-ce que ça commence ?',
    'Combien ça coûte par mois ?',
    'et le troisième ?',
    'Jusqu’à quand est-il valable ?',
  ],
]

const misjudgedOf = (texts: string[], kind: string) => texts.filter((text) => judgeMessage(text) !== kind)

describe('the kind of a message', () => {
  test('is talk for nine in ten small-talk messages and plain tasks', () => {
    const misjudged = misjudgedOf(talk, 'talk')
    expect({ misjudged, isRight: misjudged.length <= talk.length / 10 }).toMatchObject({ isRight: true })
  })

  test('is never talk for a question about the user’s own things, in any script', () => {
    expect([...questions, ...followUps].filter((text) => judgeMessage(text) === 'talk')).toEqual([])
  })

  test('is a follow-up for most messages that need earlier ones, and rarely for questions that don’t', () => {
    const missed = misjudgedOf(followUps, 'follow-up')
    const misread = questions.filter((text) => judgeMessage(text) === 'follow-up')
    expect({ missed, isRight: missed.length <= followUps.length / 5 }).toMatchObject({ isRight: true })
    expect({ misread, isRight: misread.length <= questions.length / 10 }).toMatchObject({ isRight: true })
  })

  test('depends on the task, not on the text it applies to', () => {
    expect(judgeMessage('Translate this: When does the lease of the boathouse end and who signed it?')).toBe('talk')
    expect(judgeMessage('Hello: when does the lease of the boathouse end?')).toBe('question')
  })
})
