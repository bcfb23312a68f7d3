#!/usr/bin/env python3
# merge.py DST SRC...: append the declarations of each SRC to DST, unite imports, delete SRC (git rm).
import re,sys,subprocess
def split(path):
    t=open(path).read()
    m=re.search(r'^package \w+\n',t,re.M)
    head=t[:m.start()]; pkg=m.group(0); rest=t[m.end():]
    imports=[]
    m=re.match(r'\s*import \(\n(.*?)^\)\n',rest,re.S|re.M)
    if m:
        for l in m.group(1).split('\n'):
            if l.strip(): imports.append(l.strip())
        rest=rest[m.end():]
    else:
        m=re.match(r'\s*import ((?:[\w.]+ )?"[^"]+".*)\n',rest)
        if m:
            imports.append(m.group(1)); rest=rest[m.end():]
    return head,pkg,imports,rest.strip('\n')
dst=sys.argv[1]; head,pkg,imps,body=split(dst)
for src in sys.argv[2:]:
    h,p,i,b=split(src)
    assert p==pkg,(p,pkg)
    assert 'go:build' not in h and 'go:build' not in head, src
    if h.strip():
        assert not head.strip(),(h,head)
        head=h
    imps+= [x for x in i if x not in imps]
    if b.strip(): body=body+'\n\n'+b
def key(l): return re.search(r'"([^"]+)"',l).group(1)
std=sorted([l for l in imps if '.' not in key(l).split('/')[0]],key=key)
third=sorted([l for l in imps if '.' in key(l).split('/')[0] and not key(l).startswith('github.com/intraydata/')],key=key)
ours=sorted([l for l in imps if key(l).startswith('github.com/intraydata/')],key=key)
groups=[g for g in (std,third,ours) if g]
out=head+pkg
if len(imps)==1: out+='\nimport '+imps[0]+'\n'
elif imps: out+='\nimport (\n'+'\n\n'.join('\n'.join('\t'+l for l in g) for g in groups)+'\n)\n'
out+='\n'+body+'\n'
open(dst,'w').write(out)
for s in sys.argv[2:]: subprocess.check_call(['git','rm','-qf',s])
subprocess.check_call(['gofmt','-l','-w',dst])
n=out.count('\n')
print(dst,n, 'TOO LONG' if n>700 else '')
