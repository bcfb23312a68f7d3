<<<<<<< HEAD:server/webui/dist/assets/empty-table-S8f2RTot.js
<<<<<<<< HEAD:server/webui/dist/assets/empty-table-BQBfJYVM.js
import{S as e,y as t}from"./main-DQF7GkdF.js";function n({model:n}){let{t:r,host:i}=n,a=i.facts.import_errors.some(e=>e.type===`NO_ROWS`);return e(`div`,{class:`c-rowless`,children:[e(`p`,{role:`status`,children:r(a?`rowless`:`noRows`)}),e(t,{icon:`add`,onClick:()=>n.addRow(),children:r(`add.one`)})]})}export{n as default};
========
import{S as e,y as t}from"./main-C-wVogbe.js";function n({model:n}){let{t:r,host:i}=n,a=i.facts.import_errors.some(e=>e.type===`NO_ROWS`);return e(`div`,{class:`c-rowless`,children:[e(`p`,{role:`status`,children:r(a?`rowless`:`noRows`)}),e(t,{icon:`add`,onClick:()=>n.addRow(),children:r(`add.one`)})]})}export{n as default};
>>>>>>>> 018a5e07 (ui: reword page text, rebuild the pages):server/webui/dist/assets/empty-table-S8f2RTot.js
=======
import{S as e,y as t}from"./main-By0iU9rI.js";function n({model:n}){let{t:r,host:i}=n,a=i.facts.import_errors.some(e=>e.type===`NO_ROWS`);return e(`div`,{class:`c-rowless`,children:[e(`p`,{role:`status`,children:r(a?`rowless`:`noRows`)}),e(t,{icon:`add`,onClick:()=>n.addRow(),children:r(`add.one`)})]})}export{n as default};
>>>>>>> e1d7bb59 (messages: name paths and properties in one clause, rebuild the page):server/webui/dist/assets/empty-table-D7m_O8ZO.js
