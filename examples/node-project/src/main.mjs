import { text } from 'node:stream/consumers';
import { countWords } from './count-words.mjs';

for (const [word, count] of countWords(await text(process.stdin))) console.log(`${count}\t${word}`);
